import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Learner, LearnerState } from "../agents/learner/learner.ts";
import type { Trainer, TrainerState, UpdateReport } from "../agents/learner/trainer.ts";
import { InputError, messageOf } from "../core/errors.ts";
import { type RunFolder, writeWhole } from "../core/run/run-folder.ts";

/** What a training run has learned so far: `learner.json`. */
export interface Saved {
  readonly trainer: TrainerState;
  readonly learner: LearnerState;
}

export interface TrainRunOptions {
  readonly learner: Learner<unknown, unknown, unknown>;
  readonly trainer: Trainer;
  readonly updates: number;
  /** Updates between two savings. @default 10 */
  readonly saveEvery?: number;
  readonly signal: AbortSignal;
  readonly onUpdate: (report: UpdateReport) => void;
}

/** File in a run folder with the weights and where the trainer stands. */
export const LEARNER = "learner.json";

/** How far a training run has come. */
export interface TrainRunResult {
  /** Whether all updates are done. */
  readonly complete: boolean;
  /** Problems of all updates in the folder. */
  readonly problems: number;
}

const UPDATES = "updates.jsonl";

/**
 * Trains up to `updates`, with a line per update in `updates.jsonl` and the weights in `learner.json`. Goes on from
 * the last savings; updates since then are done again, with the same result, and not written twice.
 * @throws {InputError} on a damaged file of the folder, naming it and its line or field.
 */
export async function runTraining(folder: RunFolder, options: TrainRunOptions): Promise<TrainRunResult> {
  const { learner, trainer, updates, saveEvery = 10, signal, onUpdate } = options;
  let [written, problems] = [0, 0];
  const log = await folder.log(UPDATES, ({ value, line }) => {
    problems += checkUpdate(value, line).problems;
    written = line;
  });
  const saved = await readSaved(folder.path);
  if (saved !== undefined) {
    checkComplete(written, saved.trainer.update);
    loadInto(learner, saved.learner, join(folder.path, LEARNER));
    trainer.load(saved.trainer);
  }
  while (trainer.state().update < updates) {
    if (signal.aborted) return { complete: false, problems };
    const report = await trainer.next();
    const { update } = report;
    if (update > written) {
      await log.append(report);
      problems += report.problems;
    }
    onUpdate(report);
    if (update % saveEvery === 0 || update === updates) {
      const state: Saved = { trainer: trainer.state(), learner: learner.save() };
      await writeWhole(join(folder.path, LEARNER), `${JSON.stringify(state)}\n`);
    }
    // Training never waits for anything outside of the process: let a signal come in.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { complete: true, problems };
}

function loadInto(learner: TrainRunOptions["learner"], state: LearnerState, file: string): void {
  try {
    learner.load(state);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new InputError(`train: ${file}: ${error.message}; delete it to train anew`);
  }
}

/** Line n is update n. `problems` is missing in folders of before they were counted. */
function checkUpdate(value: unknown, line: number): { readonly problems: number } {
  const { update, problems = 0 } = (value ?? {}) as Partial<UpdateReport>;
  const fail = (field: string, expected: string, got: unknown) => {
    throw new InputError(
      `${UPDATES} line ${line}: expected \`${field}\` to be ${expected}, got ${JSON.stringify(got)}; ` +
        "the file was damaged after it was written",
    );
  };
  if (update !== line) fail("update", String(line), update);
  if (!Number.isInteger(problems)) fail("problems", "a whole number", problems);
  return { problems };
}

/** Weights are saved after the lines of their updates: fewer lines than that have lost some. */
function checkComplete(written: number, update: number): void {
  if (written >= update) return;
  throw new InputError(
    `${UPDATES}: holds ${written} updates, and ${LEARNER} was saved at update ${update}: lines were lost; ` +
      `delete ${LEARNER} to train anew`,
  );
}

/** What was saved in a run folder, if anything. @throws {InputError} if it was damaged. */
export async function readSaved(path: string): Promise<Saved | undefined> {
  const file = join(path, LEARNER);
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
  if (text === undefined) return undefined;
  try {
    const { trainer, learner } = JSON.parse(text) as Saved;
    if (trainer !== undefined && learner !== undefined)
      return { trainer: checkTrainer(trainer, file), learner };
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new InputError(`train: ${file} is not JSON (${messageOf(error)}); delete it to train anew`);
  }
  throw new InputError(`train: ${file} lacks \`trainer\` or \`learner\`; delete it to train anew`);
}

function checkTrainer(trainer: TrainerState, file: string): TrainerState {
  for (const field of ["update", "cursor", "envSteps"] as const) {
    const got: unknown = trainer?.[field];
    if (Number.isSafeInteger(got)) continue;
    throw new InputError(
      `train: ${file}: expected \`trainer.${field}\` to be a whole number, got ${JSON.stringify(got)}; ` +
        "delete it to train anew",
    );
  }
  return trainer;
}
