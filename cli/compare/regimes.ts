import type { JsonObject } from "../../core/json.ts";
import type { TaskSet } from "../../core/task.ts";
import type { AnyEnvKit } from "../../envs/kit.ts";
import { namedSetOf } from "../kits.ts";

/** Where methods are compared: what they train on, what they are judged by, and what they may spend. */
export type Regime = {
  readonly name: string;
  readonly title: string;
  readonly train: string;
  readonly test: string;
  readonly updates: number;
  /** Env steps an update may spend. */
  readonly stepsPerUpdate: number;
};

/** Equal prices: 1,200 env steps an update, 240,000 in all. */
const PRICE = { updates: 200, stepsPerUpdate: 1_200 };

export const frozenLakeRegimes: readonly Regime[] = [
  {
    name: "hard",
    title: "Hard lakes (7x7 to 9x9, goal 8 to 12 moves away, 16 turns, K = 4)",
    train: "frozen-lake/hard-train",
    test: "frozen-lake/hard-test",
    ...PRICE,
  },
  {
    name: "rllm",
    title: "rLLM's lakes (2x2 to 9x9, a quarter of them one move long, 10 turns, K = 5)",
    train: "frozen-lake/rllm-train",
    test: "frozen-lake/rllm-test",
    ...PRICE,
  },
];

export interface RegimeParts {
  readonly kit: AnyEnvKit;
  readonly train: TaskSet<unknown>;
  readonly test: TaskSet<unknown>;
  readonly every: number;
}

export function partsOf({ train: trainName, test: testName }: Regime): RegimeParts {
  const { kit, named } = namedSetOf(trainName);
  const train = named.make();
  return { kit, train, test: namedSetOf(testName).named.make(), every: kit.checkpointEvery(train) };
}

/** A regime as it stands in a run's config, with the digests of its task sets. */
export function configOf(regime: Regime): JsonObject {
  const { train, test, every } = partsOf(regime);
  return { ...regime, every, trainDigest: train.digest(), testDigest: test.digest() };
}
