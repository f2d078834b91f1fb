import { Meter } from "../../agents/model-server/metrics/meter.ts";
import type { ModelServer, Sample } from "../../agents/model-server/model-server.ts";
import { modelPolicy } from "../../agents/model-server/policy.ts";
import { type ServerPool, serverPool } from "../../agents/model-server/pool/pool.ts";
import type { Chat } from "../../agents/model-server/tokens/chat.ts";
import { ChatTemplate } from "../../agents/model-server/tokens/chat-template.ts";
import { serverChat } from "../../agents/model-server/tokens/server-chat.ts";
import { systemClock } from "../../core/clock.ts";
import { InputError } from "../../core/errors.ts";
import { type JsonObject, sha256 } from "../../core/json.ts";
import type { AnyEnvKit } from "../../envs/kit.ts";
import type { NamedPolicy } from "../policies.ts";
import { type Asked, checkServers, PROBE } from "./arrival.ts";
import { chatOf, kwargsOf, tokenizerOf } from "./chat.ts";
import { Live } from "./live.ts";
import { serveMetrics } from "./metrics-port.ts";
import { API_KEY, type ModelOptions } from "./options.ts";
import { ROUTES, type Route } from "./routes.ts";

/** In place of a tokenizer's folder. */
const ON_SERVER = "server";

/**
 * A model on one or several servers as the policy of a kit that has a dialogue. The servers are asked what they have
 * first; what a run must know is told to `note`.
 * @throws {InputError} naming the option that is missing or does not fit.
 */
export async function modelPolicyOf(
  route: Route,
  kit: AnyEnvKit,
  options: ModelOptions,
  note: (line: string) => void,
): Promise<NamedPolicy> {
  const { dialogue } = kit;
  if (dialogue === undefined) {
    throw new InputError(`--policy: ${kit.name} has no dialogue, so that a language model cannot play it`);
  }
  const { url: urls = [], model } = options;
  if (urls.length === 0)
    throw new InputError(`--policy ${route}: --url is needed, http://localhost:8000 for example`);
  if (model === undefined)
    throw new InputError(`--policy ${route}: --model is needed, as the server calls it`);
  if (options.omit !== undefined && route !== "openai")
    throw new InputError("--omit: only --policy openai takes it");
  if (options.contextTokens !== undefined && route === "openai")
    throw new InputError("--context-tokens: with --policy openai the server counts; leave it out");
  const apiKey = process.env[API_KEY] || undefined;
  const asked = {
    ...{ route, urls, model, note, temperature: options.temperature },
    rawLogprobs: options.rawLogprobs === true,
    ...(apiKey !== undefined && { apiKey }),
  };
  const onServer = route !== "openai" && options.tokenizer === ON_SERVER;
  let said = onServer ? await checkServers(asked) : {};
  const { chat, vocabularySize, identity, close } = onServer
    ? await serverWordsOf(asked, options)
    : await wordsOf(route, options);
  const servers = serversOf(route, urls, model, apiKey, options.omit);
  const { maxTokens, temperature, topP, topK = -1, topLogprobs, retries } = options;
  const sampling = { maxTokens, temperature, topP, topK, topLogprobs };
  const meter = new Meter();
  const pool = serverPool({ servers, maxConcurrent: options.concurrency, meter });
  const live = new Live(meter, () => pool.stats(), systemClock);
  const { name } = servers[0]!.server;
  if (!onServer) {
    const isOwnTemplate = options.chatTemplate === undefined;
    const { options: kwargs = {} } = (identity.template ?? {}) as { readonly options?: JsonObject };
    const template = chat instanceof ChatTemplate ? { chat, kwargs, isOwnTemplate } : undefined;
    said = await checkServers({ ...asked, ...(template && { template }) });
  }
  const contextTokens = pool.tokenExact ? (options.contextTokens ?? said.contextTokens) : undefined;
  const policy = modelPolicy({
    server: named(name, pool, (sample) => live.answered(sample)),
    dialogue,
    sampling,
    retries,
    ...(chat !== undefined && { chat }),
    ...(vocabularySize !== undefined && { vocabularySize }),
    ...(contextTokens !== undefined && { contextTokens }),
  });
  if (!pool.tokenExact) {
    note("not token-exact: replies come as text, so the run is good for evaluation and not for training");
  }
  const port = options.metricsPort === undefined ? undefined : await serveMetrics(options.metricsPort, meter);
  if (port !== undefined) note(`metrics: ${port.url}`);
  return {
    policy,
    digest: {
      ...{ route, model, tokenExact: pool.tokenExact, sampling, retries, ...identity },
      ...(contextTokens !== undefined && { contextTokens }),
      ...(options.rawLogprobs && { rawLogprobs: true }),
    },
    live,
    close: async () => {
      await port?.close();
      await pool.close();
      await close?.();
    },
  };
}

/** The words of a model: what turns messages into tokens, or what stands in for it. */
interface Words {
  readonly chat: Chat | undefined;
  readonly vocabularySize: number | undefined;
  readonly identity: JsonObject;
  close?(): Promise<void>;
}

/** As the model's server has them. */
async function serverWordsOf({ urls, model, apiKey }: Asked, options: ModelOptions): Promise<Words> {
  const { chatTemplate, chatOption, keepRewrites, topLogprobs } = options;
  if (chatTemplate !== undefined)
    throw new InputError("--chat-template: with --tokenizer server the server has its own; leave it out");
  if (topLogprobs > 0)
    throw new InputError(
      "--top-logprobs: it needs --tokenizer with a folder, for the size of the vocabulary",
    );
  const kwargs = kwargsOf(chatOption);
  const chat = await serverChat({
    servers: urls.map((url) => ({ url, ...(apiKey !== undefined && { apiKey }) })),
    model,
    kwargs,
    rewrites: keepRewrites ? "keep" : "refuse",
  });
  // What the server makes of one conversation stands for its files, which it does not show.
  const probe = sha256(JSON.stringify(await chat.opening(PROBE)));
  const template = {
    ...(Object.keys(kwargs).length > 0 && { options: kwargs }),
    ...(keepRewrites && { rewrites: "keep" }),
  };
  const identity = { tokenizer: ON_SERVER, probe, ...(Object.keys(template).length > 0 && { template }) };
  return { chat, vocabularySize: undefined, identity, close: () => chat.close() };
}

async function wordsOf(route: Route, options: ModelOptions): Promise<Words> {
  const { tokenizer: folder, chatTemplate, chatOption, keepRewrites, topLogprobs, omit } = options;
  const loaded = folder === undefined ? undefined : await tokenizerOf(folder);
  if (route === "openai") {
    if (chatTemplate !== undefined) {
      throw new InputError("--chat-template: with --policy openai the server has its own; leave it out");
    }
    if (keepRewrites || Object.keys(chatOption).length > 0) {
      const option = keepRewrites ? "--keep-rewrites" : "--chat-option";
      throw new InputError(`${option}: with --policy openai the server has its own template; leave it out`);
    }
    if (topLogprobs > 0 && loaded === undefined) {
      throw new InputError(
        "--top-logprobs: with --policy openai it needs --tokenizer, for the size of the vocabulary",
      );
    }
    return {
      chat: undefined,
      vocabularySize: loaded?.tokenizer.size,
      identity: { ...(loaded && { tokenizer: loaded.digest }), ...(omit && { omit }) } as JsonObject,
    };
  }
  if (folder === undefined || loaded === undefined) {
    throw new InputError(
      `--policy ${route}: --tokenizer is needed: a folder with the model's tokenizer.json and ` +
        "tokenizer_config.json, as they lie beside its weights, or `server` to ask a vLLM server for tokens",
    );
  }
  const { chat, identity } = await chatOf(folder, loaded, options);
  const both: JsonObject = { tokenizer: loaded.digest, template: identity };
  return { chat, vocabularySize: undefined, identity: both };
}

function serversOf(
  route: Route,
  urls: readonly string[],
  model: string,
  apiKey: string | undefined,
  omit: readonly string[] | undefined,
) {
  return urls.map((url) => {
    // A name and password in it would be written into messages and records.
    if (URL.canParse(url) && new URL(url).username + new URL(url).password !== "") {
      throw new InputError(`--url: it has a user or password in it; put the key into ${API_KEY}`);
    }
    const server = ROUTES[route]({
      url,
      model,
      ...(apiKey !== undefined && { apiKey }),
      ...(omit && { omit }),
    });
    return { server, endpoint: url };
  });
}

/** A pool under the name of what it pools: records do not depend on how many servers there were, or where. */
function named(name: string, pool: ServerPool, onSample: (sample: Sample) => void): ModelServer {
  const { tokenExact, provider, model } = pool;
  return {
    name,
    tokenExact,
    ...(provider !== undefined && { provider }),
    ...(model !== undefined && { model }),
    async sample(request, signal) {
      const sample = await pool.sample(request, signal);
      onSample(sample);
      return sample;
    },
    close: () => pool.close(),
  };
}
