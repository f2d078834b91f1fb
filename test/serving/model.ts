import { deriveSeed } from "../../core/rng.ts";
import { Engine, type EngineCost, type ServerTimer } from "./engine.ts";
import { faultyReply, type ModelFault } from "./faults.ts";
import type { ModelPolicy } from "./policies.ts";
import { type CacheHold, PrefixCache } from "./prefix-cache.ts";
import { type SampledReply, type SamplingRules, sampleReply, sampleRng } from "./sampling.ts";
import { SPECIAL_TOKENS, tinyTokenizer } from "./tokenizer.ts";

/** What any of the routes asks for one prompt. */
export interface Ask extends SamplingRules {
  readonly promptTokenIds: readonly number[];
  readonly n: number;
  /** Of the first choice; the others count on from it, as in vLLM. */
  readonly seed: number | undefined;
  readonly cacheSalt: string;
}

/** What came of it. */
export interface Generation {
  readonly promptTokenIds: readonly number[];
  /** Of the choice that ended last, as in vLLM. */
  readonly cachedTokens: number;
  readonly replies: readonly SampledReply[];
  readonly weightVersion: string;
  /** Milliseconds from the request to the reply. */
  readonly latencyMs: number;
}

export interface ModelCounters {
  promptTokens: number;
  cachedTokens: number;
  aborted: number;
  latencyMs: number;
  queueMs: number;
  readonly finished: Record<string, number>;
}

/** The model behind the routes: policy, prefix cache and engine. */
export class TestModel {
  policy: ModelPolicy;
  weightVersion: string;
  readonly cache: PrefixCache;
  readonly engine: Engine;
  readonly counters: ModelCounters = {
    promptTokens: 0,
    cachedTokens: 0,
    aborted: 0,
    latencyMs: 0,
    queueMs: 0,
    finished: { stop: 0, length: 0, abort: 0 },
  };
  readonly #timer: ServerTimer;
  #unseeded = 0;

  constructor(
    policy: ModelPolicy,
    weightVersion: string,
    cache: { readonly blockSize: number; readonly blocks: number },
    cost: EngineCost,
    timer: ServerTimer,
  ) {
    this.policy = policy;
    this.weightVersion = weightVersion;
    this.cache = new PrefixCache(cache.blockSize, cache.blocks);
    this.engine = new Engine(cost, timer);
    this.#timer = timer;
  }

  /** Ends early, without a result that matters, when the client has gone. */
  async generate(ask: Ask, gone: AbortSignal, fault: ModelFault | undefined): Promise<Generation> {
    const start = this.#timer.now();
    const seed = ask.seed ?? deriveSeed("no seed", this.#unseeded++) % 2 ** 31;
    const messages = tinyTokenizer.messages(ask.promptTokenIds);
    let cachedTokens = 0;
    const one = async (index: number): Promise<SampledReply> => {
      const turn = {
        messages,
        promptTokenIds: ask.promptTokenIds,
        seed: seed + index,
        weightVersion: this.weightVersion,
      };
      const said = await this.policy(turn);
      const replies = typeof said === "string" ? [{ text: said, weight: 1 }] : said;
      const rng = () => sampleRng(ask.promptTokenIds, turn.seed);
      const reply = faultyReply(sampleReply(replies, ask, rng), fault);
      cachedTokens = await this.#serve(ask, reply, gone);
      return reply;
    };
    const replies = await Promise.all(Array.from({ length: ask.n }, (_, index) => one(index)));
    if (fault?.kind === "fewer-choices") replies.pop();
    const latencyMs = this.#timer.now() - start;
    this.counters.latencyMs += latencyMs;
    const changed = fault?.kind === "changed-prompt";
    return {
      promptTokenIds: changed
        ? [SPECIAL_TOKENS["<|endoftext|>"]!, ...ask.promptTokenIds]
        : ask.promptTokenIds,
      cachedTokens,
      replies,
      weightVersion: fault?.kind === "stale-weights" ? fault.version : this.weightVersion,
      latencyMs,
    };
  }

  /** Takes a slot for as long as the reply lasts; gives the prompt tokens that were cached. */
  #serve(ask: Ask, reply: SampledReply, gone: AbortSignal): Promise<number> {
    const { counters, engine } = this;
    const queued = this.#timer.now();
    return new Promise((resolve) => {
      let hold: CacheHold | undefined;
      const stop = () => {
        cancel();
        counters.aborted++;
        counters.finished.abort!++;
        hold?.release([]);
        resolve(0);
      };
      let cancel = () => {};
      if (gone.aborted) return stop();
      gone.addEventListener("abort", stop, { once: true });
      cancel = engine.add({
        tokens: reply.tokenIds.length,
        start: () => {
          hold = this.cache.hold(ask.promptTokenIds, ask.cacheSalt);
          counters.promptTokens += ask.promptTokenIds.length;
          counters.cachedTokens += hold.cachedTokens;
          counters.queueMs += this.#timer.now() - queued;
          return ask.promptTokenIds.length - hold.cachedTokens;
        },
        finish: () => {
          gone.removeEventListener("abort", stop);
          hold!.release(reply.tokenIds);
          counters.finished[reply.finishReason] = (counters.finished[reply.finishReason] ?? 0) + 1;
          resolve(hold!.cachedTokens);
        },
      });
    });
  }
}
