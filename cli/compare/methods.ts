import { InputError } from "../../core/errors.ts";
import { arpo } from "../../core/rollout/strategies/arpo.ts";
import { independent } from "../../core/rollout/strategies/independent.ts";
import { patr } from "../../core/rollout/strategies/patr.ts";
import { treeRandom } from "../../core/rollout/strategies/tree-random.ts";
import type { Strategy } from "../../core/rollout/strategy.ts";

/** A method at one setting: how it rolls out, and how it trains where that differs from plain GRPO. */
export interface Variant {
  /** `grpo`, `dapo`, ... */
  readonly method: string;
  /** Its setting in few words. */
  readonly setting: string;
  strategy(every: number): Strategy;
  /** Groups of equal rewards are left out of the batch. */
  readonly dynamicSampling?: boolean;
  /** The loss is a mean over all turns. */
  readonly tokenMean?: boolean;
}

/** What DAPO is here: two changes to GRPO, each of which is a method of its own too. */
const DAPO = { dynamicSampling: true, tokenMean: true };

/** Shapes of a tree: k branches expanded into M children. The first is the paper's; the cap is GRPO's largest group. */
const SHAPES = [
  { top: 2, children: 2 },
  { top: 2, children: 3, maxLeaves: 16 },
  { top: 1, children: 4, maxLeaves: 16 },
];

const shapeName = ({ top, children }: (typeof SHAPES)[number]) => `k=${top} M=${children}`;

/** Independent episodes at two group sizes, trained otherwise than GRPO. */
const independently = (method: string, training: Partial<Variant>): Variant[] =>
  [4, 8].map((n) => ({ method, setting: `n=${n}`, ...training, strategy: () => independent({ n }) }));

/** Every variant that is compared, method by method. Group sizes are given so that each method shows at its best. */
const compared: readonly Variant[] = [
  ...[2, 4, 8, 16].map((n) => ({ method: "grpo", setting: `n=${n}`, strategy: () => independent({ n }) })),
  ...independently("dapo", DAPO),
  { method: "arpo", setting: "4 to 8", strategy: () => arpo({ branches: 4, maxLeaves: 8 }) },
  { method: "arpo", setting: "8 to 16", strategy: () => arpo({ branches: 8, maxLeaves: 16 }) },
  ...SHAPES.map((shape) => ({
    method: "tree-random",
    setting: shapeName(shape),
    strategy: (every: number) => treeRandom({ every, ...shape }),
  })),
  ...SHAPES.map((shape) => ({
    method: "patr",
    setting: shapeName(shape),
    strategy: (every: number) => patr({ every, ...shape }),
  })),
];

/** DAPO's two changes one at a time; compared when they are asked for. */
const halves: readonly Variant[] = [
  ...independently("dynamic-sampling", { dynamicSampling: true }),
  ...independently("token-mean", { tokenMean: true }),
];

export const variants: readonly Variant[] = [...compared, ...halves];

const namesOf = (some: readonly Variant[]) => [...new Set(some.map(({ method }) => method))];

/** The methods that are compared unless others are asked for. */
export const defaultMethods: readonly string[] = namesOf(compared);

export const methodNames: readonly string[] = namesOf(variants);

/** The variants of the named methods. @throws {InputError} on a name that is none. */
export function variantsOf(methods: readonly string[]): Variant[] {
  for (const method of methods) {
    if (methodNames.includes(method)) continue;
    throw new InputError(`--methods: expected some of ${methodNames.join(", ")}, got "${method}"`);
  }
  return variants.filter(({ method }) => methods.includes(method));
}

export function variantNamed(method: string, setting: string): Variant {
  return variants.find((variant) => variant.method === method && variant.setting === setting)!;
}
