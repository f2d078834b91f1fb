import type { TaskSet } from "../../core/task.ts";
import type { EnvKit, NamedTaskSet } from "../kit.ts";
import { checkOptions } from "../options.ts";
import { type GymnasiumAction, GymnasiumFrozenLake } from "./gymnasium.ts";
import { GYMNASIUM_MAPS } from "./gymnasium-maps.ts";
import { GYMNASIUM_KIND, type GymnasiumLakeData } from "./gymnasium-rules.ts";
import { lazySet } from "./lazy-set.ts";

/** FrozenLake-v1 and FrozenLake8x8-v1: one task each, the noise comes from the episode's seed. */
const gymnasiumSets: readonly NamedTaskSet<GymnasiumLakeData>[] = [
  namedMap("4x4", 100),
  namedMap("8x8", 200),
];

function namedMap(map: "4x4" | "8x8", maxTurns: number): NamedTaskSet<GymnasiumLakeData> {
  const name = `${GYMNASIUM_KIND}/${map}`;
  const summary = `Gymnasium's ${map} map, slippery, ${maxTurns} turns`;
  return {
    name,
    summary,
    make(options = {}): TaskSet<GymnasiumLakeData> {
      checkOptions(name, [], options);
      const data = { map: GYMNASIUM_MAPS[map], maxTurns };
      return lazySet({ name, version: 1, size: 1, summary, task: () => ({ id: map, data }) });
    },
  };
}

/** Gymnasium's FrozenLake, bit for bit. The paper has no K for it; a quarter of the turns is ours. */
export const gymnasiumFrozenLakeKit: EnvKit<GymnasiumLakeData, number, GymnasiumAction> = {
  name: GYMNASIUM_KIND,
  summary: "Gymnasium's FrozenLake-v1 and FrozenLake8x8-v1, bit for bit",
  sets: gymnasiumSets,
  make: () => new GymnasiumFrozenLake(),
  randomAction: (rng) => rng.below(4) as GymnasiumAction,
  checkpointEvery: (set) => Math.max(1, Math.floor((set.at(0).data.maxTurns ?? 100) / 4)),
};
