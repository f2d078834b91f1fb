import { InputError } from "./errors.ts";

/** Checks that option `name` of `part` is a whole number from `least` up, and returns it. @throws {InputError} */
export function wholeFrom(least: number, part: string, name: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new InputError(`${part}: expected \`${name}\` to be a whole number from ${least} up, got ${value}`);
}

/** Checks that option `name` of `part` lies in [low, high], and returns it. @throws {InputError} */
export function within(low: number, high: number, part: string, name: string, value: number): number {
  if (value >= low && value <= high) return value;
  throw new InputError(`${part}: expected \`${name}\` to be a number from ${low} to ${high}, got ${value}`);
}

/** Checks that option `name` of `part` is one of `allowed`, and returns it. @throws {InputError} */
export function oneOf<T extends string>(
  allowed: readonly T[],
  part: string,
  name: string,
  value: string | undefined,
): T {
  const found = allowed.find((candidate) => candidate === value);
  if (found !== undefined) return found;
  throw new InputError(`${part}: expected \`${name}\` to be one of ${allowed.join(", ")}, got ${value}`);
}
