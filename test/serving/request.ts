import type { Message } from "../../core/dialogue.ts";
import type { Ask } from "./model.ts";
import { tinyTokenizer } from "./tokenizer.ts";

export type Json = Record<string, unknown>;

/** The request is not one that the real server would take. */
export class BadRequest extends Error {
  readonly status: number;
  readonly param: string;

  constructor(param: string, message: string, status = 400) {
    super(message);
    this.param = param;
    this.status = status;
  }
}

export function object(value: unknown, param: string): Json {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Json;
  throw new BadRequest(param, `${param} must be an object`);
}

/** A number within bounds, or the default where the field is missing or null. */
export function number<T>(body: Json, name: string, otherwise: T, least: number = -Infinity): number | T {
  const value = body[name] ?? undefined;
  if (value === undefined) return otherwise;
  if (typeof value === "number" && value >= least) return value;
  throw new BadRequest(name, `${name} must be a number from ${least}, got ${JSON.stringify(value)}`);
}

function whole<T>(body: Json, name: string, otherwise: T, least: number): number | T {
  const value = number(body, name, otherwise, least);
  if (typeof value === "number" && !Number.isInteger(value)) {
    throw new BadRequest(name, `${name} must be an integer, got ${value}`);
  }
  return value;
}

export function flag(body: Json, name: string, otherwise: boolean = false): boolean {
  const value = body[name] ?? otherwise;
  if (typeof value === "boolean") return value;
  throw new BadRequest(name, `${name} must be a boolean`);
}

export function tokenIds(value: unknown, param: string): number[] {
  const { vocabSize } = tinyTokenizer;
  if (Array.isArray(value) && value.every((id) => Number.isInteger(id) && id >= 0 && id < vocabSize)) {
    if (value.length > 0) return value;
    throw new BadRequest(param, `${param} must not be empty`);
  }
  throw new BadRequest(param, `${param} must be a list of token ids below ${vocabSize}`);
}

/** One prompt or several, as text or ids. */
export function prompts(value: unknown, param: string): number[][] {
  const encode = (one: unknown) =>
    typeof one === "string" ? tinyTokenizer.encode(one) : tokenIds(one, param);
  const several = Array.isArray(value) && value.length > 0 && typeof value[0] !== "number";
  return several ? value.map(encode) : [encode(value)];
}

export function chatMessages(value: unknown): Message[] {
  if (!Array.isArray(value) || value.length === 0)
    throw new BadRequest("messages", "messages must be a list");
  return value.map((one, at) => {
    const { role, content } = object(one, `messages.${at}`);
    if (typeof role !== "string") throw new BadRequest(`messages.${at}.role`, "role must be text");
    const parts = Array.isArray(content) ? content : [{ text: content ?? "" }];
    return {
      role: role as Message["role"],
      content: parts.map((part) => object(part, "content").text).join(""),
    };
  });
}

function strings(body: Json, name: string): string[] {
  const value = body[name] ?? [];
  const list = typeof value === "string" ? [value] : value;
  if (Array.isArray(list) && list.every((one) => typeof one === "string" && one !== "")) return list;
  throw new BadRequest(name, `${name} must be text or a list of texts`);
}

/** The names by which a server calls what is not called the same everywhere. */
export interface SamplingNames {
  readonly maxTokens: string;
  readonly seed: string;
  readonly defaultMaxTokens: number;
  readonly includeStop: string;
}

/** What the sampling parameters of a body say. */
export function askOf(
  body: Json,
  names: SamplingNames,
  rest: Pick<Ask, "promptTokenIds" | "topLogprobs" | "cacheSalt">,
): Ask {
  return {
    ...rest,
    n: whole(body, "n", 1, 1),
    seed: whole(body, names.seed, undefined, 0),
    temperature: number(body, "temperature", 1, 0),
    topP: number(body, "top_p", 1, 0),
    topK: whole(body, "top_k", -1, -1),
    maxTokens: whole(body, names.maxTokens, names.defaultMaxTokens, 1),
    stop: strings(body, "stop"),
    stopTokenIds: body.stop_token_ids == null ? [] : stopIds(body.stop_token_ids),
    includeStop: flag(body, names.includeStop),
    skipSpecial: flag(body, "skip_special_tokens", true),
  };
}

function stopIds(value: unknown): number[] {
  if (Array.isArray(value) && value.every((id) => Number.isInteger(id) && id >= 0)) return value;
  throw new BadRequest("stop_token_ids", "stop_token_ids must be a list of token ids");
}
