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

/**
 * Checks that `part` was given options as an object without a name that is none of its own: those of `all`.
 * @throws {InputError} naming the first other one, and those there are.
 */
export function onlyKnown<T extends object>(
  part: string,
  given: T,
  all: Readonly<Record<keyof T, unknown>>,
): void {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw new InputError(`${part}: expected options as an object, got ${JSON.stringify(given)}`);
  }
  const stray = Object.keys(given).find((name) => !Object.hasOwn(all, name));
  if (stray === undefined) return;
  throw new InputError(`${part}: no option \`${stray}\`; it has ${Object.keys(all).join(", ")}`);
}
