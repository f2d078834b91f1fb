import type { NormalRule } from "../../core/run/replay.ts";
import type { EnvKit } from "../kit.ts";
import { SweBench } from "./env.ts";
import type { SweInstance } from "./instance.ts";
import { miniSets } from "./mini/index.ts";
import { sweProgress } from "./progress.ts";
import { loadSet } from "./rows/set.ts";
import { scaffolds } from "./scaffolds.ts";
import { SETTINGS, type Settings, settingsOf } from "./settings.ts";
import type { SweAction, SweObservation } from "./types.ts";

/** What commands print that differs from one run to the next. */
export const sweNormal: readonly NormalRule[] = [
  { name: "seconds", pattern: /\b\d+(?:\.\d+)? ?(?:s|sec|secs|seconds?|ms)\b/g, replacement: "<seconds>" },
  { name: "address", pattern: /\b0x[0-9a-f]{6,16}\b/g, replacement: "<address>" },
  { name: "clock", pattern: /\b\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?\b/g, replacement: "<clock>" },
  { name: "temporary", pattern: /\/tmp\/tmp[\w]{6,}/g, replacement: "<temporary>" },
];

/** SWE-bench: K is 13 and episodes have 50 turns (PATR, arXiv 2607.15610); K of `swe-mini` is 5. */
export const sweBenchKit: EnvKit<SweInstance, SweObservation, SweAction> = kitWith(() => settingsOf({}));

function kitWith(settingsNow: () => Settings): EnvKit<SweInstance, SweObservation, SweAction> {
  let made: Settings | undefined;
  const settings = () => (made ??= settingsNow());
  return {
    name: "swe-bench",
    summary: "repositories with a bug and an issue; graded as the official harness grades",
    sets: miniSets,
    load: loadSet,
    make: () => new SweBench(settings()),
    options: SETTINGS,
    configure(options) {
      const ready = settingsOf(options);
      return { ...kitWith(() => ready), dialogue: ready.scaffold.dialogue };
    },
    line: ({ repo, problemStatement }) => `${repo}  ${/\S.*/.exec(problemStatement)?.[0].trimEnd() ?? ""}`,
    progress: sweProgress,
    dialogue: scaffolds.sweagent.dialogue,
    randomAction: (rng) => ({
      tool: "execute_bash",
      arguments: { command: ["ls", "git status", "git diff", "git log --oneline"][rng.below(4)]! },
    }),
    normal: sweNormal,
    checkpointEvery: (set) => (set.name === "swe-mini" ? 5 : 13),
  };
}
