import type { CellResult } from "../../../cli/compare/cell.ts";
import type { Regime } from "../../../cli/compare/regimes.ts";

/** Small enough to train in a moment: a single tree an update, and hardly anything to learn. */
export const tinyRegime: Regime = {
  name: "tiny",
  title: "Tiny",
  train: "frozen-lake/rllm-test",
  test: "frozen-lake/rllm-test",
  updates: 4,
  stepsPerUpdate: 20,
};

/** A cell that was made up: success at the end, Pass@4 and mixed as given. */
export function cell(
  key: Partial<Pick<CellResult, "regime" | "method" | "setting" | "seed">>,
  success: readonly number[],
  { pass = 0.5, mixed = [0.5] }: { readonly pass?: number; readonly mixed?: readonly number[] } = {},
): CellResult {
  return {
    regime: "tiny",
    method: "grpo",
    setting: "n=2",
    seed: 0,
    ...key,
    evaluations: success.map((share, at) => ({ envSteps: 20 * (at + 1), success: share, pass })),
    curve: mixed.map((share, at) => ({
      envSteps: 20 * (at + 1),
      success: share / 2,
      mixed: share,
      entropy: 1 - share,
      turns: 5,
    })),
  };
}
