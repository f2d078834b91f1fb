import type { EnvKit } from "../kit.ts";
import { rllmDialogue } from "./dialogue.ts";
import { lakeActions, lakeFeatures } from "./features.ts";
import { hardSets } from "./hard-sets.ts";
import { progressScorer } from "./progress.ts";
import { type LakeView, RllmFrozenLake } from "./rllm.ts";
import type { RllmAction, RllmLakeData } from "./rllm-rules.ts";
import { rllmSets } from "./rllm-sets.ts";

/** FrozenLake as rLLM trains on it and PATR reports it. K is the paper's 5, and 4 on the hard sets (16 turns). */
export const frozenLakeKit: EnvKit<RllmLakeData, LakeView, RllmAction> = {
  name: "frozen-lake",
  summary: "FrozenLake as in rLLM: random maps, the whole lake in view, 10 turns",
  sets: [...rllmSets, ...hardSets],
  make: () => new RllmFrozenLake(),
  progress: progressScorer,
  dialogue: rllmDialogue,
  randomAction: (rng) => lakeActions[rng.below(lakeActions.length)]!,
  learning: { features: lakeFeatures, actions: lakeActions },
  checkpointEvery: (set) => (set.name.startsWith("frozen-lake/hard-") ? 4 : 5),
};
