import { InputError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { ServerError } from "./errors.ts";
import { isOlder } from "./fresh-only.ts";
import type { HttpOptions } from "./http.ts";
import type { Sample, SampleRequest } from "./model-server.ts";
import { type Field, isWhole } from "./reply.ts";

/** Options that all adapters have. */
export interface ServerOptions extends HttpOptions {
  /** The model's name, as the server knows it. */
  readonly model: string;
  /**
   * Which weights the server should have now: whoever changes them knows. Servers whose replies do not say (vLLM's do
   * not) are believed to have them, and a sample during which they changed is of version `old..new`; a reply that names
   * others is a `stale-weights` failure, unless both are numbers and its own is higher. @default unknown
   */
  readonly weightVersion?: () => string | undefined;
  /**
   * More fields of the request's body, `cache_salt` or `priority` for example. Those of sampling (`min_p`, penalties,
   * `stop`, `ignore_eos`, structured output, and whatever stands in `sampling_params` here) go to where the route has
   * its sampling parameters. None that says what is asked for or how the reply is read: prompt, seed, temperature,
   * `top_p`, `top_k`, bounds, log-probabilities.
   *
   * `stop` texts leave a reply exact: servers cut `text` before what stopped it and keep the ids, and a policy decodes
   * its text from the ids, so that it ends in the stop text.
   */
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

/** One log-probability for each of the reply's `count` sampled tokens; `read` gives the one at a place. */
export function logprobsOf(field: Field, count: number, read: (at: number) => Field): readonly number[] {
  const { length } = field.list();
  if (length !== count) field.fail(`a list of ${count}, one for each token of the reply`, String(length));
  return Array.from({ length }, (_, at) => read(at).sampledLogprob());
}

/** A token that might have stood at a place; some servers do not say which. */
export interface Alternative {
  readonly id: number | undefined;
  readonly logprob: number;
}

/**
 * The alternatives at each of the reply's `count` places: the `most` likeliest, from the likeliest down, since servers
 * may add the sampled token to those that were asked for. There are ids if the server gives all of them.
 */
export function alternativesOf(
  field: Field,
  count: number,
  most: number,
  read: (place: Field) => readonly Alternative[],
): Pick<Sample, "topLogprobs" | "topTokenIds"> {
  if (most === 0) return {};
  const { length } = field.list();
  if (length !== count) field.fail(`a list of ${count}, one for each token of the reply`, String(length));
  let named = true;
  const places = Array.from({ length }, (_, at) => {
    const found = read(field.at(at));
    const ids = new Set(found.map(({ id }) => id));
    if (ids.has(undefined)) named = false;
    else if (ids.size < found.length) field.at(at).fail("different tokens", "one of them twice");
    return found.toSorted((a, b) => b.logprob - a.logprob).slice(0, most);
  });
  return {
    topLogprobs: places.map((place) => place.map(({ logprob }) => logprob)),
    ...(named && { topTokenIds: places.map((place) => place.map(({ id }) => id!)) }),
  };
}

/** The id in `token_id:N`, which is what servers write that were asked for ids instead of texts. */
export function namedId(token: unknown): number | undefined {
  const digits = typeof token === "string" ? /^token_id:(\d+)$/.exec(token)?.[1] : undefined;
  return digits === undefined ? undefined : Number(digits);
}

/** Tokens by the server's own count, which must be ours. */
export function countOf(field: Field, count: number): void {
  if (field.given && field.whole() !== count) field.fail(`${count}, as many as there are token ids`);
}

/**
 * Prompt tokens that came from the cache, if the server says: at most those of the prompt, since SGLang (before a fix
 * of October 2025) counts them once more each time that it interrupts a request.
 */
export function cachedOf(field: Field, promptTokens: number): { readonly cachedTokens?: number } {
  return field.given ? { cachedTokens: Math.min(field.whole(), promptTokens) } : {};
}

/** Reads the version of the weights from a reply. */
export type WeightsOf = (said: Field) => { readonly weightVersion?: string };

/** Called when a request is sent; what it returns reads its reply. */
export function weightsOf({ weightVersion }: ServerOptions): WeightsOf {
  const before = weightVersion?.();
  return (said) => {
    const after = weightVersion?.();
    if (said.given) {
      const version = isWhole(said.value) ? String(said.value) : said.text();
      const asked = [before, after].filter((each) => each !== undefined);
      if (asked.length === 0 || asked.some((each) => each === version || isOlder(each, version) === true))
        return { weightVersion: version };
      throw said.error(
        "stale-weights",
        `sampled with weights \`${version}\`, \`weightVersion\` says \`${asked.at(-1)}\``,
      );
    }
    if (before === undefined || after === undefined) return {};
    return { weightVersion: before === after ? after : `${before}..${after}` };
  };
}

/** `usage.prompt_tokens_details.cached_tokens` of OpenAI-like replies to a prompt of so many tokens. */
export function usageCached(usage: Field, promptTokens: number): { readonly cachedTokens?: number } {
  const details = usage.get("prompt_tokens_details");
  return details.given ? cachedOf(details.get("cached_tokens"), promptTokens) : {};
}
