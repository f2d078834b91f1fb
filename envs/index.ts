import { gymnasiumFrozenLakeKit } from "./frozen-lake/gymnasium-kit.ts";
import { frozenLakeKit } from "./frozen-lake/kit.ts";
import type { AnyEnvKit } from "./kit.ts";
import { sweBenchKit } from "./swe-bench/kit.ts";

/** Every environment that ships with ForkGym. */
export const environments: readonly AnyEnvKit[] = [frozenLakeKit, gymnasiumFrozenLakeKit, sweBenchKit];
