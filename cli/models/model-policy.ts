import { Meter } from "../../agents/model-server/metrics/meter.ts";
import type { ModelServer, Sample } from "../../agents/model-server/model-server.ts";
import { modelPolicy } from "../../agents/model-server/policy.ts";
import { type ServerPool, serverPool } from "../../agents/model-server/pool/pool.ts";
import { systemClock } from "../../core/clock.ts";
import { InputError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import type { AnyEnvKit } from "../../envs/kit.ts";
import type { NamedPolicy } from "../policies.ts";
import { checkServers } from "./arrival.ts";
import { chatOf, tokenizerOf } from "./chat.ts";
import { Live } from "./live.ts";
import { serveMetrics } from "./metrics-port.ts";
import { API_KEY, type ModelOptions } from "./options.ts";
import { ROUTES, type Route } from "./routes.ts";

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
  const { chat, vocabularySize, identity } = await wordsOf(route, options);
  const apiKey = process.env[API_KEY] || undefined;
  const servers = serversOf(route, urls, model, apiKey, options.omit);
  const { maxTokens, temperature, topP, topK = -1, topLogprobs, retries } = options;
  const sampling = { maxTokens, temperature, topP, topK, topLogprobs };
  const meter = new Meter();
  const pool = serverPool({ servers, maxConcurrent: options.concurrency, meter });
  const live = new Live(meter, () => pool.stats(), systemClock);
  const { name } = servers[0]!.server;
  const policy = modelPolicy({
    server: named(name, pool, (sample) => live.answered(sample)),
    dialogue,
    sampling,
    retries,
    ...(chat !== undefined && { chat }),
    ...(vocabularySize !== undefined && { vocabularySize }),
  });
  const isOwnTemplate = options.chatTemplate === undefined;
  const { options: kwargs = {} } = (identity.template ?? {}) as { readonly options?: JsonObject };
  await checkServers({
    route,
    urls,
    model,
    note,
    kwargs,
    isOwnTemplate,
    ...(apiKey !== undefined && { apiKey }),
    ...(chat !== undefined && { chat }),
  });
  if (!pool.tokenExact) {
    note("not token-exact: replies come as text, so the run is good for evaluation and not for training");
  }
  const port = options.metricsPort === undefined ? undefined : await serveMetrics(options.metricsPort, meter);
  if (port !== undefined) note(`metrics: ${port.url}`);
  return {
    policy,
    digest: { route, model, tokenExact: pool.tokenExact, sampling, retries, ...identity },
    live,
    close: async () => {
      await port?.close();
      await pool.close();
    },
  };
}

/** The words of the model: what turns messages into tokens, or what stands in for it. */
async function wordsOf(route: Route, options: ModelOptions) {
  const { tokenizer: folder, chatTemplate, topLogprobs, omit } = options;
  const loaded = folder === undefined ? undefined : await tokenizerOf(folder);
  if (route === "openai") {
    if (chatTemplate !== undefined) {
      throw new InputError("--chat-template: with --policy openai the server has its own; leave it out");
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
        "tokenizer_config.json, as they lie beside its weights; servers do not hand them out",
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
