import { InputError } from "../core/errors.ts";
import { type ArpoOptions, arpo } from "../core/rollout/strategies/arpo.ts";
import { independent } from "../core/rollout/strategies/independent.ts";
import { type PatrOptions, patr } from "../core/rollout/strategies/patr.ts";
import { type TreeRandomOptions, treeRandom } from "../core/rollout/strategies/tree-random.ts";
import type { Strategy } from "../core/rollout/strategy.ts";

type Value = number | boolean | string | null;

/** A part and its options as one word: `patr:every=4,top=1`. */
export interface Spec {
  readonly name: string;
  readonly options: Readonly<Record<string, Value>>;
}

/** @throws {InputError} on an option without a value, or one that is given twice. */
export function parseSpec(text: string): Spec {
  const [name = "", rest = ""] = split(text, ":");
  const options = (rest === "" ? [] : rest.split(",")).map((pair) => {
    const [key, value] = split(pair, "=");
    if (key !== "" && value !== undefined) return [key, readValue(value)] as const;
    throw new InputError(`${name}: expected options as name=value, separated by commas, got "${pair}"`);
  });
  const keys = options.map(([key]) => key);
  const again = keys.find((key, at) => keys.indexOf(key) < at);
  if (again !== undefined) throw new InputError(`${name}: option \`${again}\` is given twice; give it once`);
  return { name, options: Object.fromEntries(options) };
}

function split(text: string, at: string): [string] | [string, string] {
  const index = text.indexOf(at);
  return index < 0 ? [text] : [text.slice(0, index), text.slice(index + 1)];
}

function readValue(text: string): Value {
  if (text === "true" || text === "false") return text === "true";
  if (text === "null" || text === "none") return null;
  return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}

const makers: Readonly<Record<string, (options: Record<string, Value>) => Strategy>> = {
  independent: (options) => independent(options),
  patr: (options) => patr(options as PatrOptions),
  "tree-random": (options) => treeRandom(options as TreeRandomOptions),
  arpo: (options) => arpo(options as ArpoOptions),
};

/** Names of the strategies that {@link strategyOf} knows. */
export const strategyNames: readonly string[] = Object.keys(makers);

/**
 * The strategy that a spec names. `every` is the environment's interval unless the spec says otherwise.
 * @throws {InputError} on an unknown strategy or option.
 */
export function strategyOf(text: string, every: number): Strategy {
  const { name, options } = parseSpec(text);
  const make = Object.hasOwn(makers, name) ? makers[name] : undefined;
  if (make === undefined) {
    throw new InputError(`--strategy: expected one of ${strategyNames.join(", ")}, got "${name}"`);
  }
  const known = make({}).options as Readonly<Record<string, Value>>;
  for (const [key, value] of Object.entries(options)) {
    if (!Object.hasOwn(known, key)) {
      const all = Object.keys(known).join(", ");
      throw new InputError(`--strategy ${name}: no option \`${key}\`; it has ${all}`);
    }
    if (typeof known[key] === "boolean" && typeof value !== "boolean") {
      throw new InputError(`--strategy ${name}: expected \`${key}\` to be true or false, got ${value}`);
    }
  }
  const interval = name === "patr" || name === "tree-random" ? { every } : {};
  // None is the default of every option but theta, where it means "never".
  const set = Object.entries(options).filter(([key, value]) => key === "theta" || value !== null);
  return make({ ...interval, ...Object.fromEntries(set) });
}
