import { InputError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { ServerError } from "./errors.ts";
import type { HttpOptions } from "./http.ts";
import type { SampleRequest } from "./model-server.ts";
import { type Field, isWhole } from "./reply.ts";

/** Options that all adapters have. */
export interface ServerOptions extends HttpOptions {
  /** The model's name, as the server knows it. */
  readonly model: string;
  /**
   * Which weights the server has now, for servers whose replies do not say (vLLM's do not): whoever changes them knows. A
   * sample during which they changed is of version `old..new`. @default unknown
   */
  readonly weightVersion?: () => string | undefined;
  /** More fields of the request's body, `cache_salt` or `priority` for example; none that the adapter sets itself. */
  readonly extra?: JsonObject;
}

/** @throws {InputError} if a server would have to guess. */
export function checkRequest(part: string, request: SampleRequest): void {
  const { maxTokens, temperature, topP, topK, seed, stopTokenIds, topLogprobs } = request;
  const must = (holds: boolean, name: keyof SampleRequest, expected: string) => {
    if (holds) return;
    throw new InputError(`${part}: expected \`${name}\` to be ${expected}, got ${String(request[name])}`);
  };
  must(isWhole(maxTokens) && maxTokens >= 1, "maxTokens", "a whole number from 1");
  must(temperature >= 0 && temperature < Infinity, "temperature", "a number from 0");
  must(topP > 0 && topP <= 1, "topP", "a number above 0, at most 1");
  must(topK === -1 || (isWhole(topK) && topK >= 1), "topK", "-1 or a whole number from 1");
  must(isWhole(seed) && seed < 2 ** 31, "seed", "a whole number from 0, below 2^31");
  must(isWhole(topLogprobs), "topLogprobs", "a whole number from 0");
  must(stopTokenIds.every(isWhole), "stopTokenIds", "token ids");
}

/** @throws {InputError} if there is none, or no token ids. */
export function promptOf(part: string, { promptTokenIds: ids }: SampleRequest): readonly number[] {
  if (ids !== undefined && ids.length > 0 && ids.every(isWhole)) return ids;
  throw new InputError(`${part}: expected \`promptTokenIds\` to be token ids, one at least`);
}

/** The body with the user's fields in it. @throws {InputError} on a field that the adapter sets. */
export function withExtra(part: string, body: JsonObject, extra: JsonObject = {}): JsonObject {
  const clash = Object.keys(extra).find((key) => Object.hasOwn(body, key));
  if (clash === undefined) return { ...body, ...extra };
  throw new InputError(`${part}: \`extra.${clash}\` is set by the adapter; leave it out`);
}

/**
 * vLLM's sampling parameters without the log-probabilities, all of them: what is left out is filled in from the model's
 * generation_config.json.
 */
export function vllmSampling(request: SampleRequest): JsonObject {
  return {
    n: 1,
    max_tokens: request.maxTokens,
    temperature: request.temperature,
    top_p: request.topP,
    top_k: request.topK,
    min_p: 0,
    repetition_penalty: 1,
    presence_penalty: 0,
    frequency_penalty: 0,
    seed: request.seed,
    stop: [],
    stop_token_ids: request.stopTokenIds,
    ignore_eos: false,
    min_tokens: 0,
    skip_special_tokens: true,
  };
}

/** `stop` or `length`. @throws {ServerError} `aborted-by-server`; `malformed` for anything else. */
export function finishOf(server: string, field: Field, why?: unknown): "stop" | "length" {
  const { value } = field;
  if (value === "stop" || value === "length") return value;
  if (value !== "abort") return field.fail('"stop", "length" or "abort"');
  const reason = typeof why === "string" ? `: ${why.slice(0, 200)}` : "";
  throw new ServerError("aborted-by-server", `${server}: the server aborted the request${reason}`);
}

/** Why it stopped, if the server says: a token or a text. */
export function stopReasonOf(field: Field): { readonly stopReason?: number | string } {
  if (!field.given) return {};
  const { value } = field;
  return isWhole(value) || typeof value === "string"
    ? { stopReason: value }
    : field.fail("a token id or a text");
}

/**
 * The reply's ids: at least one, at most `maxTokens`, and the token that stopped it is the last of them.
 * Texts may be cut before what stopped the reply, ids must not be.
 */
export function replyIds(
  field: Field,
  { maxTokens, stopTokenIds }: SampleRequest,
  stopReason: number | string | undefined,
): readonly number[] {
  const ids = field.tokenIds();
  if (ids.length < 1 || ids.length > maxTokens) field.fail(`1 to ${maxTokens} token ids`, String(ids.length));
  const stopped = typeof stopReason === "number" && stopTokenIds.includes(stopReason);
  if (stopped && ids.at(-1) !== stopReason) {
    field.fail(`token ids that end in ${stopReason}, which stopped the reply`, `${ids.at(-1)} as the last`);
  }
  return ids;
}

/** One finite log-probability for each of the reply's `count` tokens; `read` gives the one at a place. */
export function logprobsOf(field: Field, count: number, read: (at: number) => Field): readonly number[] {
  const { length } = field.list();
  if (length !== count) field.fail(`a list of ${count}, one for each token of the reply`, String(length));
  return Array.from({ length }, (_, at) => read(at).logprob());
}

/** The `most` largest, from the largest down: servers may add the sampled token to those that were asked for. */
export function likeliest(logprobs: readonly number[], most: number): readonly number[] {
  return logprobs.toSorted((a, b) => b - a).slice(0, most);
}

/** Tokens by the server's own count, which must be ours. */
export function countOf(field: Field, count: number): void {
  if (field.given && field.whole() !== count) field.fail(`${count}, as many as there are token ids`);
}

/** Optional facts about a reply that servers put in various places. */
export function cachedOf(field: Field): { readonly cachedTokens?: number } {
  return field.given ? { cachedTokens: field.whole() } : {};
}

/** Called when a request is sent; what it returns reads the version of the weights from the reply. */
export function weightsOf({
  weightVersion,
}: ServerOptions): (said: Field) => { readonly weightVersion?: string } {
  const before = weightVersion?.();
  return (said) => {
    if (said.given) return { weightVersion: isWhole(said.value) ? String(said.value) : said.text() };
    const after = weightVersion?.();
    if (before === undefined || after === undefined) return {};
    return { weightVersion: before === after ? after : `${before}..${after}` };
  };
}

/** `usage.prompt_tokens_details.cached_tokens` of OpenAI-like replies. */
export function usageCached(usage: Field): { readonly cachedTokens?: number } {
  const details = usage.get("prompt_tokens_details");
  return details.given ? cachedOf(details.get("cached_tokens")) : {};
}
