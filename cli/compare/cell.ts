import { type Evaluation, evaluate } from "../../agents/learner/evaluate.ts";
import { createLearner } from "../../agents/learner/learner.ts";
import { createTrainer, type UpdateReport } from "../../agents/learner/trainer.ts";
import { ForkGymError, InputError } from "../../core/errors.ts";
import { deriveSeed } from "../../core/rng.ts";
import { variantNamed } from "./methods.ts";
import { partsOf, type Regime } from "./regimes.ts";

/** One training run of a comparison. */
export interface CellKey {
  readonly regime: Regime;
  readonly method: string;
  readonly setting: string;
  readonly seed: number;
}

/** What a cell found: a line of `cells.jsonl`. */
export interface CellResult {
  readonly regime: string;
  readonly method: string;
  readonly setting: string;
  readonly seed: number;
  /** On the held-out tasks, at each quarter of the budget. */
  readonly evaluations: readonly JudgedAt[];
  /** Means over stretches of updates. */
  readonly curve: readonly CurvePoint[];
}

/** An evaluation after so many env steps; `failed` only where an episode failed. */
export type JudgedAt = Pick<Evaluation, "success" | "pass"> & {
  readonly envSteps: number;
  readonly failed?: number;
};

export type CurvePoint = Pick<UpdateReport, "envSteps" | "success" | "mixed" | "entropy" | "turns">;

/** Points of a curve. */
const POINTS = 40;
const QUARTERS = 4;

/** The name of a cell, the same in every run. */
export function cellName({ regime, method, setting, seed }: CellKey | CellResult): string {
  return `${typeof regime === "string" ? regime : regime.name}/${method}/${setting}/${seed}`;
}

/**
 * Trains a learner with one method and judges it. For one seed, every method starts from the same weights and
 * sees the same tasks in the same order as far as its budget reaches. Depends on its key alone.
 */
export async function runCell(
  key: CellKey,
  onUpdate: (update: number) => void = () => {},
): Promise<CellResult> {
  const { regime, method, setting, seed } = key;
  const { kit, train, test, every } = partsOf(regime);
  const { learning, progress } = kit;
  if (learning === undefined) throw new InputError(`compare: ${kit.name} has no features for the learner`);
  const variant = variantNamed(method, setting);
  const strategy = variant.strategy(every);
  const learner = createLearner<unknown, unknown, unknown>({
    ...learning,
    seed: deriveSeed("compare", seed, "weights"),
  });
  const trainer = createTrainer({
    learner,
    env: kit.make,
    tasks: train,
    strategy,
    seed: deriveSeed("compare", seed, "rollouts"),
    stepsPerUpdate: regime.stepsPerUpdate,
    ...(strategy.scored && { scorer: progress! }),
    ...(variant.dynamicSampling && { dynamicSampling: true }),
    ...(variant.tokenMean && { update: { aggregation: "token-mean" as const } }),
  });
  const reports: UpdateReport[] = [];
  const evaluations: JudgedAt[] = [];
  for (let update = 1; update <= regime.updates; update++) {
    const report = await trainer.next();
    if (report.trees > 0 && Number.isNaN(report.success)) {
      throw new ForkGymError(`compare: no branch of update ${update} has an outcome: ${report.problem}`);
    }
    reports.push(report);
    onUpdate(update);
    if (
      Math.floor((QUARTERS * update) / regime.updates) ===
      Math.floor((QUARTERS * (update - 1)) / regime.updates)
    )
      continue;
    const { failed, ...judged } = await evaluate({
      policy: learner,
      env: kit.make,
      tasks: test,
      seed: deriveSeed("compare", seed, "evaluation"),
    });
    if (Number.isNaN(judged.success)) {
      throw new ForkGymError(`compare: none of the ${failed} episodes on ${test.name} has an outcome`);
    }
    evaluations.push({ envSteps: report.envSteps, ...judged, ...(failed > 0 && { failed }) });
  }
  return { regime: regime.name, method, setting, seed, evaluations, curve: curveOf(reports) };
}

function curveOf(reports: readonly UpdateReport[]): CurvePoint[] {
  const width = Math.max(1, Math.ceil(reports.length / POINTS));
  const points: CurvePoint[] = [];
  for (let from = 0; from < reports.length; from += width) {
    const part = reports.slice(from, from + width);
    const mean = (of: (report: UpdateReport) => number) =>
      part.reduce((sum, report) => sum + of(report), 0) / part.length;
    points.push({
      envSteps: part.at(-1)!.envSteps,
      // An update that an earlier one left no steps for has no outcome, and counts as its other means do.
      success: mean(({ trees, success }) => (trees === 0 ? 0 : success)),
      mixed: mean(({ mixed }) => mixed),
      entropy: mean(({ entropy }) => entropy),
      turns: mean(({ turns }) => turns),
    });
  }
  return points;
}
