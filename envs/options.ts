import { InputError } from "../core/errors.ts";

/** Refuses options that a part does not have. @throws {InputError} */
export function checkOptions(
  name: string,
  known: readonly string[],
  given: Readonly<Record<string, string>>,
): void {
  for (const option of Object.keys(given)) {
    if (known.includes(option)) continue;
    const takes = known.length === 0 ? "no options" : known.map((one) => `\`${one}\``).join(", ");
    throw new InputError(`${name}: unknown option \`${option}\`; it takes ${takes}`);
  }
}
