import type { Clock } from "../../core/clock.ts";
import { messageOf } from "../../core/errors.ts";
import type { TokenUsage } from "../../core/policy.ts";
import { ServerError, type ServerFault } from "../model-server/errors.ts";

/** Why a score is missing: the server's fault, a reply that says nothing readable, or anything else. */
export type ScoreFault = ServerFault | "unreadable" | "other";

/** One score that was asked for and not had. */
export interface ScoreFailure {
  readonly fault: ScoreFault;
  readonly message: string;
}

/** What a scorer that asks a server has cost so far, over all trees. */
export interface ScorerUsage {
  /** Requests that were sent. */
  readonly calls: number;
  /** Scores that took no request of their own, since an equal branch was asked about before. */
  readonly cacheHits: number;
  /** What was asked for and not had. */
  readonly failures: number;
  /** `failures` by cause. */
  readonly faults: Readonly<Partial<Record<ScoreFault, number>>>;
  readonly promptTokens: number;
  readonly generatedTokens: number;
  /** Prompt tokens that came from the server's cache; included in `promptTokens`. */
  readonly cachedTokens: number;
  /** Milliseconds from request to reply, summed over requests, so that concurrent ones all count. */
  readonly ms: number;
}

/** A reply that came and cannot be read. */
export class UnreadableError extends Error {}

/** Sums what a scorer costs. */
export class Meter {
  readonly #clock: Clock;
  readonly #onFailure: (failure: ScoreFailure) => void;
  #calls = 0;
  #failures = 0;
  readonly #faults: Partial<Record<ScoreFault, number>> = {};
  readonly #tokens = { promptTokens: 0, generatedTokens: 0, cachedTokens: 0 };
  #ms = 0;

  constructor(clock: Clock, onFailure: (failure: ScoreFailure) => void) {
    this.#clock = clock;
    this.#onFailure = onFailure;
  }

  /** Times a request; one that fails counts too. */
  async call<T>(request: () => Promise<T>): Promise<T> {
    this.#calls++;
    const start = this.#clock.now();
    try {
      return await request();
    } finally {
      this.#ms += this.#clock.now() - start;
    }
  }

  /** Returns what it counted. */
  tokens({ promptTokens, generatedTokens, cachedTokens = 0 }: TokenUsage): TokenUsage {
    this.#tokens.promptTokens += promptTokens;
    this.#tokens.generatedTokens += generatedTokens;
    this.#tokens.cachedTokens += cachedTokens;
    return { promptTokens, generatedTokens, cachedTokens };
  }

  /** Returns what it counted. */
  failure(error: unknown): ScoreFault {
    const fault =
      error instanceof ServerError ? error.fault : error instanceof UnreadableError ? "unreadable" : "other";
    this.#failures++;
    this.#faults[fault] = (this.#faults[fault] ?? 0) + 1;
    this.#onFailure({ fault, message: messageOf(error) });
    return fault;
  }

  usage(cacheHits: number): ScorerUsage {
    const faults = { ...this.#faults };
    return { calls: this.#calls, cacheHits, failures: this.#failures, faults, ...this.#tokens, ms: this.#ms };
  }
}
