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

/**
 * Trains up to `updates`, with a line per update in `updates.jsonl` and the weights in `learner.json`. Goes on from
 * the last savings; updates since then are done again, with the same result, and not written twice.
 * @returns whether all updates are done.
 */
export async function runTraining(folder: RunFolder, options: TrainRunOptions): Promise<boolean> {
  const { learner, trainer, updates, saveEvery = 10, signal, onUpdate } = options;
  let written = 0;
  const log = await folder.log("updates.jsonl", ({ value }) => {
    written = Math.max(written, (value as UpdateReport).update);
  });
  const saved = await readSaved(folder.path);
  if (saved !== undefined) {
    learner.load(saved.learner);
    trainer.load(saved.trainer);
  }
  while (trainer.state().update < updates) {
    if (signal.aborted) return false;
    const report = await trainer.next();
    const { update } = report;
    if (update > written) await log.append(report);
    onUpdate(report);
    if (update % saveEvery === 0 || update === updates) {
      const state: Saved = { trainer: trainer.state(), learner: learner.save() };
      await writeWhole(join(folder.path, LEARNER), `${JSON.stringify(state)}\n`);
    }
    // Training never waits for anything outside of the process: let a signal come in.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return true;
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
    if (trainer !== undefined && learner !== undefined) return { trainer, learner };
  } catch (error) {
    throw new InputError(`train: ${file} is not JSON (${messageOf(error)}); delete it to train anew`);
  }
  throw new InputError(`train: ${file} lacks \`trainer\` or \`learner\`; delete it to train anew`);
}
