/**
 * Shares of `left` turns among `count` branches, as even as can be; the first branches get what is over. Of Infinity
 * everyone gets Infinity.
 */
export function evenShares(left: number, count: number): number[] {
  const each = Math.floor(left / count);
  const over = left === Number.POSITIVE_INFINITY ? 0 : left % count;
  return Array.from({ length: count }, (_, index) => each + (index < over ? 1 : 0));
}
