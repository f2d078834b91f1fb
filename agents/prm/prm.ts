import { oneOf, wholeFrom } from "../../core/check.ts";
import { type Clock, systemClock } from "../../core/clock.ts";
import type { TokenUsage } from "../../core/policy.ts";
import type { Node } from "../../core/rollout/tree.ts";
import type { ScoreReport } from "../../core/scorer.ts";
import type { Task } from "../../core/task.ts";
import { branchDigest } from "../judge/branch-digest.ts";
import { cutMiddle, foreignText } from "../judge/foreign-text.ts";
import type { MeteredScorer } from "../judge/judge.ts";
import { Meter, type ScoreFailure, UnreadableError } from "../judge/meter.ts";
import { SharedCalls } from "../judge/shared-calls.ts";
import { ServerError } from "../model-server/errors.ts";
import { AGGREGATES, type Aggregate, aggregated } from "./aggregate.ts";
import { Batcher, type Schedule } from "./batcher.ts";
import type { PrmBranch, PrmResult, PrmServer } from "./prm-server.ts";

/** Options of {@link prmScorer}. */
export interface PrmOptions<Data, Obs, Act> {
  readonly server: PrmServer;
  /** The branch as a problem and what was done about it, oldest first. It may read nothing that is hidden. */
  readonly steps: (task: Task<Data>, node: Node<Obs, Act>) => PrmBranch;
  /** How the steps' scores become one. @default "last", as in PATR */
  readonly aggregate?: Aggregate;
  /** Steps that the model is given, from 1: the newest. @default 10, as in PATR */
  readonly lastSteps?: number;
  /** Most characters of the problem, from 50; its middle gives way. @default 3000 */
  readonly problemChars?: number;
  /** Most characters of a step, from 50; its middle gives way. @default 800 */
  readonly stepChars?: number;
  /** Most branches of a request. @default 32 */
  readonly batch?: number;
  /** How long a branch waits for others to share its request, in milliseconds. @default 5 */
  readonly windowMs?: number;
  /** Scores that are kept. @default 10000 */
  readonly cache?: number;
  /** Told of every branch that got no score. */
  readonly onFailure?: (failure: ScoreFailure) => void;
  /** @default the system's monotonic clock */
  readonly clock?: Clock;
  /** @default setTimeout */
  readonly schedule?: Schedule;
}

/**
 * A process reward model as a scorer (PATR, arXiv 2607.15610): it scores each of a branch's last steps from 0 to 1, and
 * one score is made of them. Models of this kind were trained on mathematics, in windows of some 4,000 tokens; hence
 * the default cuts.
 *
 * A branch without steps has no score and costs nothing. A server that fails, or whose reply does not fit the branch,
 * is a missing score, never a zero. Branches that are scored at the same time share a request; where the server refuses
 * it (one that is too long is enough), each is asked about alone. Equal ones are asked about once. What chat templates read as special tokens, the step separator included, is broken up in the texts.
 *
 * @throws {InputError} on bad options.
 */
export function prmScorer<Data, Obs, Act>(
  options: PrmOptions<Data, Obs, Act>,
): MeteredScorer<Data, Obs, Act> {
  const { server, steps, aggregate = "last", lastSteps = 10, problemChars = 3000, stepChars = 800 } = options;
  const { batch = 32, windowMs = 5, cache = 10_000 } = options;
  oneOf(AGGREGATES, "prmScorer", "aggregate", aggregate);
  wholeFrom(1, "prmScorer", "lastSteps", lastSteps);
  wholeFrom(50, "prmScorer", "problemChars", problemChars);
  wholeFrom(50, "prmScorer", "stepChars", stepChars);
  wholeFrom(1, "prmScorer", "batch", batch);
  wholeFrom(0, "prmScorer", "windowMs", windowMs);
  wholeFrom(0, "prmScorer", "cache", cache);
  const meter = new Meter(options.clock ?? systemClock, options.onFailure ?? (() => {}));
  const scores = new SharedCalls<number>(cache);
  async function scored(branches: readonly PrmBranch[], signal: AbortSignal): Promise<readonly Scored[]> {
    const reply = await meter.call(() => server.score(branches, signal));
    const usage = meter.tokens({ ...reply, generatedTokens: 0 });
    return reply.results.map((result, place) => ({ result, usage: shareOf(usage, place, branches.length) }));
  }

  const batches = new Batcher<PrmBranch, Scored | Failed>({
    async run(branches, signal) {
      try {
        return await scored(branches, signal);
      } catch (error) {
        if (branches.length === 1 || !isOfOne(error)) throw error;
        const alone = async (branch: PrmBranch) =>
          scored([branch], signal).then(
            ([only]) => only!,
            (failed: unknown) => ({ failed }),
          );
        return Promise.all(branches.map(alone));
      }
    },
    most: batch,
    windowMs,
    schedule: options.schedule ?? ((run, ms) => void setTimeout(run, ms)),
  });

  async function ask(branch: PrmBranch, signal: AbortSignal, report: Report): Promise<number | undefined> {
    try {
      const answer = await batches.add(branch, signal);
      if ("failed" in answer) throw answer.failed;
      const { result, usage } = answer;
      report({ usage });
      if ("unreadable" in result) throw new UnreadableError(result.unreadable);
      if (result.length === 0 || !result.every((score) => score >= 0 && score <= 1)) {
        throw new UnreadableError(
          `${server.name}: expected scores from 0 to 1, got ${JSON.stringify(result)}`,
        );
      }
      return aggregated(result, aggregate);
    } catch (error) {
      signal.throwIfAborted();
      report({ fault: meter.failure(error) });
      return undefined;
    }
  }

  return {
    name: `prm(${server.name}, ${aggregate} of ${lastSteps})`,
    async score({ task, node, signal, report = () => {} }) {
      const branch = steps(task, node);
      if (branch.steps.length === 0) return undefined;
      const fitted = {
        problem: cutMiddle(foreignText(branch.problem), problemChars),
        steps: branch.steps.slice(-lastSteps).map((step) => cutMiddle(foreignText(step), stepChars)),
      };
      return scores.get(branchDigest(task, node), signal, (shared) => ask(fitted, shared, report));
    },
    usage: () => meter.usage(scores.hits),
  };
}

type Report = (report: ScoreReport) => void;

interface Scored {
  readonly result: PrmResult;
  readonly usage: TokenUsage;
}

interface Failed {
  readonly failed: unknown;
}

/** A wrong key or an absent route refuses every branch. */
const OF_ALL: ReadonlySet<number | undefined> = new Set([401, 403, 404, 405]);

/** Whether the server may have refused a request for one of its branches, one that is too long for example. */
function isOfOne(error: unknown): boolean {
  return error instanceof ServerError && error.fault === "refused" && !OF_ALL.has(error.status);
}

/** One branch's part of what a request for `count` of them cost: equal ones, whose sum is the whole. */
function shareOf({ promptTokens, cachedTokens = 0 }: TokenUsage, place: number, count: number): TokenUsage {
  const part = (whole: number) =>
    Math.floor((whole * (place + 1)) / count) - Math.floor((whole * place) / count);
  return { promptTokens: part(promptTokens), cachedTokens: part(cachedTokens), generatedTokens: 0 };
}
