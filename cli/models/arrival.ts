import { ServerError } from "../../agents/model-server/errors.ts";
import { type JsonClient, jsonClient } from "../../agents/model-server/http.ts";
import type { ChatTemplate } from "../../agents/model-server/tokens/chat-template.ts";
import { compareTokens } from "../../agents/model-server/tokens/server-tokens.ts";
import type { Message } from "../../core/dialogue.ts";
import { InputError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { logprobsMode } from "./logprobs-mode.ts";
import { API_KEY } from "./options.ts";
import { ROUTES, type Route } from "./routes.ts";

/** Milliseconds for each question that is asked before a run begins. */
const PATIENCE = 10_000;

/** For a first token: a cold server compiles at its first request. */
export const COLD_PATIENCE = 60_000;

/** Whom to ask, and for what. */
export interface Asked {
  readonly route: Route;
  readonly urls: readonly string[];
  readonly model: string;
  readonly apiKey?: string;
  /** What the run samples at; from 0. */
  readonly temperature: number;
  /** Whether log-probabilities before temperature are good enough. */
  readonly rawLogprobs: boolean;
  readonly note: (line: string) => void;
}

/** What is known of servers and of our side before a run begins. */
export interface Arrival extends Asked {
  /** Where prompts go out as tokens that are made here. */
  readonly template?: {
    readonly chat: ChatTemplate;
    readonly kwargs: JsonObject;
    /** Whether it is the model's own, so that the server should have the same. */
    readonly isOwnTemplate: boolean;
  };
}

/**
 * Asks each server what it has before a run spends anything on it. What only may be wrong is noted.
 * @throws {InputError} if one does not answer, wants a key, lacks the model, has another tokenizer, or (vLLM) gives
 * log-probabilities that are not those of what is sampled at the run's temperature.
 */
export async function checkServers(arrival: Arrival): Promise<{ readonly contextTokens?: number }> {
  const { urls, apiKey } = arrival;
  let contextTokens = Number.POSITIVE_INFINITY;
  for (const url of urls) {
    const client = jsonClient("--url", { url, totalMs: PATIENCE, ...(apiKey !== undefined && { apiKey }) });
    try {
      contextTokens = Math.min(contextTokens, (await checkModel(client, arrival)) ?? contextTokens);
      await checkTokens(client, arrival);
      await checkLogprobs(url, arrival);
    } catch (error) {
      if (!isAway(error)) throw error;
      throw new InputError(`${error.message}; start it, or leave it out`, { cause: error });
    } finally {
      await client.close();
    }
  }
  return contextTokens < Number.POSITIVE_INFINITY ? { contextTokens } : {};
}

/** What the model can hold there, if that is said. */
async function checkModel(client: JsonClient, { route, model }: Arrival): Promise<number | undefined> {
  const served = await servedModels(client);
  const found = served?.find(({ id }) => id === model);
  // Of an OpenAI-compatible server the list need not be whole, and SGLang takes any name.
  if (served === undefined || !route.startsWith("vllm") || found !== undefined) return found?.contextTokens;
  const names = served.map(({ id }) => id).join(", ");
  throw new InputError(`--model: ${client.url} does not serve "${model}"; it serves ${names}`);
}

async function checkTokens(client: JsonClient, arrival: Arrival): Promise<void> {
  const { template: ours, model, note } = arrival;
  if (ours === undefined) return;
  const { chat, kwargs, isOwnTemplate } = ours;
  const { tokenizer, template } = await compareTokens(client, model, chat, PROBE, kwargs);
  if (typeof tokenizer === "object") {
    throw new InputError(`--tokenizer: it is not that of ${client.url}: ${tokenizer.difference}`);
  }
  if (typeof template === "object" && isOwnTemplate) {
    note(
      `${client.url} has another chat template than the tokenizer's folder, which is used: ${template.difference}`,
    );
  }
}

/** At temperature 0 the likeliest token is taken, whatever its log-probability. */
async function checkLogprobs(url: string, arrival: Arrival): Promise<void> {
  const { route, model, apiKey, temperature, rawLogprobs } = arrival;
  if (!route.startsWith("vllm") || temperature === 1 || temperature === 0 || rawLogprobs) return;
  const server = ROUTES[route]({
    url,
    model,
    totalMs: COLD_PATIENCE,
    ...(apiKey !== undefined && { apiKey }),
  });
  try {
    if ((await logprobsMode(server)) !== "raw") return;
    throw new InputError(
      `--temperature ${temperature}: ${server.url} gives log-probabilities before temperature, which are not those of ` +
        "what is sampled; start vLLM with --logprobs-mode processed_logprobs, or pass --raw-logprobs if nothing is " +
        "trained on them",
    );
  } finally {
    await server.close();
  }
}

/** What a server lists as its models; undefined if it has no such list. @throws {ServerError} if it is away or wants a key. */
export async function servedModels(
  client: JsonClient,
): Promise<readonly { readonly id: string; readonly contextTokens?: number }[] | undefined> {
  try {
    const { data } = (await client.get("/v1/models")) as { readonly data?: unknown };
    if (!Array.isArray(data)) return undefined;
    return (data as { readonly id?: unknown; readonly max_model_len?: unknown }[]).map((each) => ({
      id: String(each?.id),
      ...(typeof each?.max_model_len === "number" && { contextTokens: each.max_model_len }),
    }));
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    if (error.status === 401 || error.status === 403) {
      throw new InputError(`${error.message}; put the key into the environment variable ${API_KEY}`);
    }
    if (isAway(error)) throw error;
    return undefined;
  }
}

/** Nobody there, as against somebody who has no such route. */
function isAway(error: unknown): error is ServerError {
  return error instanceof ServerError && error.status === undefined;
}

/** Words of several scripts, white space, digits and code: where tokenizers differ. */
export const PROBE: readonly Message[] = [
  { role: "system", content: "You are on a frozen lake. Answer with ```Up``` or ```Down```." },
  { role: "user", content: "naïve 氷 👩‍🚀\n\n\tP _ _ G  1234567890 don't <b>x</b> def f(x):\n    return x" },
];
