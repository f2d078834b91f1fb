import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { realTimer, type ServerTimer } from "./engine.ts";
import { type FaultPlan, faultFor, type ModelFault } from "./faults.ts";
import { metricsText } from "./metrics.ts";
import { TestModel } from "./model.ts";
import type { ModelPolicy } from "./policies.ts";
import { BadRequest, type Json, object } from "./request.ts";
import { chanceReward, type RewardModel } from "./reward-routes.ts";
import { type RouteContext, routes } from "./routes.ts";
import { answersFor, errorAnswer, send } from "./send.ts";

/** What can be changed while the server runs. */
export interface ModelServerChanges {
  readonly policy?: ModelPolicy;
  /** For /pooling and /v1/embeddings. @default by chance, from the tokens before */
  readonly reward?: RewardModel;
  /** How to misbehave; undefined to behave. Requests are counted from the start of the server. */
  readonly misbehave?: FaultPlan | undefined;
  /** As after /update_weight_version; cached prefixes stay, as in vLLM. @default "default" */
  readonly weightVersion?: string;
  /** Whether /health says 200, not 503. @default true */
  readonly healthy?: boolean;
}

export interface ModelServerOptions extends ModelServerChanges {
  readonly policy: ModelPolicy;
  /** @default "forkgym/tiny" */
  readonly model?: string;
  /** 0 for any that is free. @default 0 */
  readonly port?: number;
  /** Tokens of prompt and reply together. @default 32768 */
  readonly maxModelLen?: number;
  /** Most log-probabilities a token. @default 20 */
  readonly maxLogprobs?: number;
  /** Tokens of a block of the prefix cache. @default 16 */
  readonly blockSize?: number;
  /** Blocks that the prefix cache keeps. @default 65536 */
  readonly cacheBlocks?: number;
  /** Whether vLLM's routes give `cached_tokens`, as with `--enable-prompt-tokens-details`. @default true */
  readonly tellCached?: boolean;
  /**
   * Whether log-probabilities are those of the distribution that is sampled from, as with vLLM's
   * `--logprobs-mode processed_logprobs`, or those before temperature, top-k and top-p. @default "raw_logprobs"
   */
  readonly logprobsMode?: "raw_logprobs" | "processed_logprobs";
  /** Sequences that run at once. @default 256 */
  readonly slots?: number;
  /** Milliseconds for one token of every running sequence. @default 0 */
  readonly msPerStep?: number;
  /** Milliseconds for 1,000 prompt tokens that are not cached. @default 0 */
  readonly msPer1kPrefill?: number;
  /** @default real time */
  readonly timer?: ServerTimer;
}

/** Counters since the start, and gauges. The difference of two calls tells of the time between them. */
export interface ModelServerStats {
  /** All but those for health and metrics. */
  readonly requests: number;
  /** How many of them were answered with a fault. */
  readonly faults: number;
  /** Sequences that run and that wait. */
  readonly running: number;
  readonly waiting: number;
  /** Tokens of the prompts of all sequences that were started; of them from the cache, and computed. */
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly computedTokens: number;
  readonly generatedTokens: number;
  /** Sequences that ended because their client went away. */
  readonly aborted: number;
  readonly slots: number;
  readonly elapsedMs: number;
  /** Slots times milliseconds in which they were taken. */
  readonly busySlotMs: number;
  /** `busySlotMs` as a share of all slots over the whole time, from 0 to 1. */
  readonly busyShare: number;
}

/** A running {@link startModelServer}. */
export interface TestModelServer {
  /** Without a slash at its end. */
  readonly url: string;
  stats(): ModelServerStats;
  set(changes: ModelServerChanges): void;
  /** Cuts what is open and frees the port, so that another may be started there. */
  close(): Promise<void>;
}

/**
 * An inference server for tests and demos, without a model: it speaks vLLM's /v1/completions, /v1/chat/completions,
 * /inference/v1/generate, /tokenize, /detokenize, /pooling, /health, /metrics and /update_weight_version, SGLang's
 * /generate, /get_model_info and /flush_cache, and /v1/embeddings as Skywork's reward model answers. Its tokens are
 * those of `tinyTokenizer`. A reply depends on the prompt's ids and the seed alone. It does not stream, and it
 * leaves unknown fields of a request aside, as those servers do; `min_tokens`, `ignore_eos`, penalties,
 * `prompt_logprobs` and structured output are among them.
 */
export async function startModelServer(options: ModelServerOptions): Promise<TestModelServer> {
  const timer = options.timer ?? realTimer;
  const slots = options.slots ?? 256;
  const model = options.model ?? "forkgym/tiny";
  const processed = options.logprobsMode === "processed_logprobs";
  const state = new TestModel(
    options.policy,
    options.weightVersion ?? "default",
    { blockSize: options.blockSize ?? 16, blocks: options.cacheBlocks ?? 65_536 },
    { slots, msPerStep: options.msPerStep ?? 0, msPer1kPrefill: options.msPer1kPrefill ?? 0 },
    timer,
  );
  let { misbehave, healthy = true, reward = chanceReward } = options;
  let requests = 0;
  let faults = 0;
  const started = timer.now();

  const stats = (): ModelServerStats => {
    const { counters, engine } = state;
    const elapsedMs = timer.now() - started;
    const { busySlotMs } = engine;
    return {
      requests,
      faults,
      running: engine.running,
      waiting: engine.waiting,
      promptTokens: counters.promptTokens,
      cachedTokens: counters.cachedTokens,
      computedTokens: counters.promptTokens - counters.cachedTokens,
      generatedTokens: engine.generatedTokens,
      aborted: counters.aborted,
      slots,
      elapsedMs,
      busySlotMs,
      busyShare: elapsedMs > 0 ? busySlotMs / (slots * elapsedMs) : 0,
    };
  };

  const contextOf = (fault: ModelFault | undefined, number: number, gone: AbortSignal): RouteContext => ({
    id: `${number.toString(16).padStart(32, "0")}`,
    model,
    maxModelLen: options.maxModelLen ?? 32_768,
    maxLogprobs: options.maxLogprobs ?? 20,
    tellCached: options.tellCached ?? true,
    reward,
    fault,
    state,
    generate: (ask) => state.generate({ ...ask, processed }, gone, fault),
  });

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url!.split("?")[0]!;
    if (path === "/health") return void response.writeHead(healthy ? 200 : 503).end();
    if (path === "/metrics") {
      const { counters, cache } = state;
      const text = metricsText(stats(), { model, cacheUsage: cache.usage, ...counters });
      return void response
        .writeHead(200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" })
        .end(text);
    }
    const gone = new AbortController();
    response.on("close", () => {
      if (!response.writableFinished) gone.abort();
    });
    const number = requests++;
    const text = await read(request);
    const body = parsed(text);
    const fault = faultFor(misbehave, { number, path, body });
    if (fault !== undefined) faults++;
    if (answersFor(fault, response)) return;
    const answer = await answerOf(`${request.method} ${path}`, body, contextOf(fault, number, gone.signal));
    send(response, answer, fault, timer);
  };

  const server = createServer((request, response) => {
    // A client that goes away in the middle of its request is no concern of ours.
    handle(request, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, "127.0.0.1", resolve);
  });

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stats,
    set: (changes) => {
      if (changes.policy !== undefined) state.policy = changes.policy;
      if (changes.weightVersion !== undefined) state.weightVersion = changes.weightVersion;
      reward = changes.reward ?? reward;
      healthy = changes.healthy ?? healthy;
      if ("misbehave" in changes) misbehave = changes.misbehave;
    },
    close: () => {
      state.engine.stop();
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function answerOf(
  name: string,
  body: unknown,
  context: RouteContext,
): Promise<{ status: number; body: unknown }> {
  const route = routes[name];
  if (route === undefined) return { status: 404, body: { detail: "Not Found" } };
  try {
    const given: Json = name.startsWith("GET") || body === undefined ? {} : object(body, "body");
    return { status: 200, body: await route(given, context) };
  } catch (error) {
    if (!(error instanceof BadRequest)) return errorAnswer(500, "InternalServerError", String(error));
    const type = error.status === 404 ? "NotFoundError" : "BadRequestError";
    return errorAnswer(error.status, type, error.message, error.param);
  }
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** Undefined without a body; what is no JSON is no object either, and a route says so. */
function parsed(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
