import { ServerError } from "../../agents/model-server/errors.ts";
import { type JsonClient, jsonClient } from "../../agents/model-server/http.ts";
import type { Sample } from "../../agents/model-server/model-server.ts";
import { compareTokens } from "../../agents/model-server/tokens/server-tokens.ts";
import { COLD_PATIENCE, PROBE, servedModels } from "./arrival.ts";
import { chatOf, tokenizerOf } from "./chat.ts";
import { logprobsMode, PROMPT } from "./logprobs-mode.ts";
import { API_KEY, type ModelOptions } from "./options.ts";
import { ROUTES, type Route, routeNames } from "./routes.ts";

/**
 * What a model server is, and which words of `--policy` it answers. Each route is asked for one token, twice, so that the
 * second prompt should come from the cache; vLLM's twice more, for what its log-probabilities are.
 */
export function serverProbes(
  url: string,
  options: Pick<ModelOptions, "model" | "tokenizer" | "chatTemplate" | "chatOption">,
): Readonly<Record<string, () => Promise<string>>> {
  const apiKey = process.env[API_KEY];
  const http = { url, totalMs: COLD_PATIENCE, ...(apiKey && { apiKey }) };
  const asked = async <T>(ask: (client: JsonClient) => Promise<T>): Promise<T> => {
    const client = jsonClient("doctor", http);
    try {
      return await ask(client);
    } finally {
      await client.close();
    }
  };
  const described = asked(describe);
  const there = () => described.catch(() => fail("needs the server"));
  const modelName = async () => {
    const { served } = await there();
    return options.model ?? served[0]?.id ?? fail("the server lists no model; name one with --model");
  };
  const routes = routeNames.map((route) => [
    `--policy ${route}`,
    async () => {
      const server = ROUTES[route]({ ...http, model: await modelName() });
      try {
        const once = () => server.sample(request(route));
        await once();
        const words = said(await once(), server.tokenExact);
        if (!route.startsWith("vllm")) return words;
        return `${words}; ${LOGPROBS[await logprobsMode(server)]}`;
      } finally {
        await server.close();
      }
    },
  ]);
  return {
    server: async () => (await described).text,
    health: async () => {
      await there();
      return asked(healthy);
    },
    ...Object.fromEntries(routes),
    ...(options.tokenizer !== undefined && {
      tokenizer: async () => {
        const folder = options.tokenizer!;
        const model = await modelName();
        const { chat } = await chatOf(folder, await tokenizerOf(folder), { ...options, keepRewrites: true });
        const { tokenizer, template } = await asked((client) => compareTokens(client, model, chat, PROBE));
        if (typeof tokenizer === "object") return fail(`another than the server's: ${tokenizer.difference}`);
        if (tokenizer === "unknown") return "unknown: the server has no /tokenize that answers";
        const other = typeof template === "object" ? `another: ${template.difference}` : template;
        return `the same as the server's; chat template: ${other}`;
      },
    }),
  };
}

async function describe(client: JsonClient) {
  const served = (await servedModels(client)) ?? [];
  const version = async (path: string, field: string) => {
    const reply = (await client.get(path).catch(ignored)) as Readonly<Record<string, unknown>> | undefined;
    return typeof reply?.[field] === "string" ? (reply[field] as string) : undefined;
  };
  const [vllm, sglang] = [
    await version("/version", "version"),
    await version("/get_model_info", "model_path"),
  ];
  const kind = vllm !== undefined ? `vLLM ${vllm}` : sglang !== undefined ? "SGLang" : "of another kind";
  const models = served.map(({ id, contextTokens }) =>
    contextTokens === undefined ? id : `${id} (${contextTokens} tokens)`,
  );
  const text = `${kind}; ${models.length === 0 ? "it lists no model" : `serves ${models.join(", ")}`}`;
  return { served, text };
}

async function healthy(client: JsonClient): Promise<string> {
  try {
    await client.get("/health");
  } catch (error) {
    // An empty 200 is no JSON, and well.
    if (!(error instanceof ServerError && error.status === 200)) throw error;
  }
  return "/health answers 200";
}

function request(route: Route) {
  return {
    ...(route === "openai" ? { messages: PROBE } : { promptTokenIds: PROMPT }),
    maxTokens: 1,
    temperature: 1,
    topP: 1,
    topK: -1,
    seed: 1,
    stopTokenIds: [],
    topLogprobs: 0,
  };
}

function said({ promptTokens, cachedTokens }: Sample, tokenExact: boolean): string {
  const exact = tokenExact ? "token for token" : "text only, not token-exact";
  const cache =
    cachedTokens === undefined
      ? "it does not say what came from its cache (vLLM: --enable-prompt-tokens-details)"
      : `${cachedTokens} of ${promptTokens} tokens of a repeated prompt from the cache`;
  return `${exact}; ${cache}`;
}

const LOGPROBS = {
  raw: "log-probabilities before temperature: for training at another than 1, start it with --logprobs-mode processed_logprobs",
  processed: "log-probabilities of what is sampled",
  unknown: "whether log-probabilities are those before temperature is unknown",
};

function fail(message: string): never {
  throw new Error(message);
}

function ignored(error: unknown): undefined {
  if (!(error instanceof ServerError)) throw error;
}
