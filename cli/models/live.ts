import type { Meter } from "../../agents/model-server/metrics/meter.ts";
import * as metrics from "../../agents/model-server/metrics/metrics.ts";
import type { Sample } from "../../agents/model-server/model-server.ts";
import type { PoolStats } from "../../agents/model-server/pool/stats.ts";
import type { Clock } from "../../core/clock.ts";
import { percent } from "../tables.ts";

/** Milliseconds that live rates look back. */
const WINDOW = 10_000;

interface Moment {
  readonly at: number;
  readonly turns: number;
  readonly generated: number;
}

/** What a run of a model shows while it lasts, and at its end. */
export class Live {
  readonly #meter: Meter;
  readonly #stats: () => PoolStats;
  readonly #clock: Clock;
  readonly #first: Moment;
  #moments: Moment[];
  #saysCached = false;

  constructor(meter: Meter, stats: () => PoolStats, clock: Clock) {
    this.#meter = meter;
    this.#stats = stats;
    this.#clock = clock;
    this.#first = this.#now();
    this.#moments = [this.#first];
  }

  /** To be told of each reply: whether its server says what came from its cache. */
  answered({ cachedTokens }: Sample): void {
    if (cachedTokens !== undefined) this.#saysCached = true;
  }

  /** The last seconds in a few words: rates, the cached share, requests running and queued, failures. */
  words(): string {
    const now = this.#now();
    const recent = this.#moments.filter(({ at }) => now.at - at <= WINDOW);
    this.#moments = [...(recent.length > 0 ? recent : [this.#moments.at(-1)!]), now];
    const { endpoints, queued } = this.#stats();
    const loads =
      endpoints.length === 1
        ? [`${endpoints[0]!.inFlight} running, ${queued} queued`]
        : endpoints.map(({ endpoint, inFlight, queued }) => `${host(endpoint)} ${inFlight}+${queued}`);
    return [...this.#rates(this.#moments[0]!, now), this.#cached(), ...loads, ...this.#failures()].join(", ");
  }

  /** The whole run in one line; undefined if nothing was asked. */
  summary(): string | undefined {
    const now = this.#now();
    const failures = this.#failures();
    if (now.turns === 0 && failures.length === 0) return undefined;
    const generated = `${now.generated} tokens generated of ${this.#total(metrics.PROMPT_TOKENS)} prompt tokens`;
    return [
      `${now.turns} samples`,
      generated,
      ...this.#rates(this.#first, now),
      this.#cached(),
      ...failures,
    ].join(", ");
  }

  #now(): Moment {
    return {
      at: this.#clock.now(),
      turns: this.#total(metrics.SAMPLES),
      generated: this.#total(metrics.GENERATED_TOKENS),
    };
  }

  #rates(from: Moment, to: Moment): string[] {
    const seconds = Math.max(1e-3, (to.at - from.at) / 1000);
    const rate = (count: number) => (count / seconds).toFixed(count / seconds < 10 ? 1 : 0);
    return [`${rate(to.turns - from.turns)} turns/s`, `${rate(to.generated - from.generated)} tokens/s`];
  }

  /** Of the prompt tokens since the run began. */
  #cached(): string {
    const share = this.#total(metrics.CACHED_TOKENS) / this.#total(metrics.PROMPT_TOKENS);
    return this.#saysCached ? `${percent(share)} of the prompts cached` : "cached prompts not told";
  }

  #failures(): string[] {
    const causes = new Map<string, number>();
    const add = (cause: string, count: number) => {
      if (count > 0 && cause !== "aborted") causes.set(cause, (causes.get(cause) ?? 0) + count);
    };
    const failures = this.#meter.snapshot().find(({ name }) => name === metrics.FAILURES.name);
    for (const { labels, value } of failures?.series ?? []) add(labels.fault!, value);
    add("queue", this.#stats().timedOut);
    if (causes.size === 0) return [];
    const total = [...causes.values()].reduce((sum, count) => sum + count, 0);
    return [`${total} failed (${[...causes].map(([cause, count]) => `${cause} ${count}`).join(", ")})`];
  }

  #total({ name }: { readonly name: string }): number {
    const metric = this.#meter.snapshot().find((each) => each.name === name);
    return (metric?.series ?? []).reduce((sum, { value }) => sum + value, 0);
  }
}

/** `host:port` of a base URL. */
function host(endpoint: string): string {
  return endpoint.replace(/^https?:\/\//, "");
}
