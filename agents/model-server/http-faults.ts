import type { Dispatcher } from "undici";
import { messageOf } from "../../core/errors.ts";
import { ServerError, type ServerFault } from "./errors.ts";
import { parseJson } from "./json-text.ts";

type Answer = Pick<Dispatcher.ResponseData, "statusCode" | "headers">;

/** What a failure before the answer's first line is. */
export function brokenConnection(where: string, cause: unknown): ServerError {
  const code = codeOf(cause);
  if (code === "UND_ERR_CONNECT_TIMEOUT") {
    return new ServerError("timeout", `${where}: cannot connect in time, ${reasonOf(cause)}`, { cause });
  }
  if (isNotHttp(cause) || code === "UND_ERR_HEADERS_OVERFLOW") {
    return new ServerError("malformed", `${where}: the answer is not HTTP, ${reasonOf(cause)}`, { cause });
  }
  return new ServerError("unreachable", `${where}: no answer, ${reasonOf(cause)}`, { cause });
}

/** What a failure within the body is. */
export function brokenAnswer(where: string, { statusCode: status }: Answer, cause: unknown): ServerError {
  const [fault, what] = isNotHttp(cause)
    ? (["malformed", "the body is not HTTP"] as const)
    : (["cut", "the answer broke off"] as const);
  return new ServerError(fault, `${where}: ${what}, ${reasonOf(cause)}`, { status, cause });
}

function isNotHttp(error: unknown): boolean {
  return error instanceof Error && error.name === "HTTPParserError";
}

/** What an answer with another status than 2xx is. */
export function refusal(where: string, answer: Answer, body: Buffer): ServerError {
  const { statusCode: status, headers } = answer;
  const retryAfterMs = retryAfter(headers);
  const options = { status, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  return new ServerError(faultOf(status), `${where}: status ${status}, ${said(body)}`, options);
}

/** 408 is what SGLang's router says when a request waited too long in its queue. */
function faultOf(status: number): ServerFault {
  if (status === 429 || status === 503 || status === 408) return "overloaded";
  return status >= 500 ? "server-error" : "refused";
}

/** `Retry-After` in milliseconds; a date counts from the server's own `Date`. Undefined if absent or not sensible. */
export function retryAfter(headers: Answer["headers"]): number | undefined {
  const value = String(headers["retry-after"] ?? "");
  if (/^\d{1,9}(\.\d+)?$/.test(value)) return Math.round(Number(value) * 1000);
  if (!value.endsWith("GMT")) return undefined;
  const wait = Date.parse(value) - Date.parse(String(headers.date));
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}

/** The server's own words: OpenAI's `error.message`, FastAPI's `detail`, or the text as it is. At most 500 characters. */
function said(body: Buffer): string {
  const text = body.toString("utf8").trim();
  if (text === "") return "and nothing else";
  return `"${(messageIn(text) ?? text).slice(0, 500)}"`;
}

function messageIn(text: string): string | undefined {
  try {
    const { error, message, detail } = parseJson(text) as Record<string, unknown>;
    const inner = (error as { message?: unknown } | null | undefined)?.message;
    for (const found of [inner, error, message, detail]) if (typeof found === "string") return found;
    if (Array.isArray(detail)) return JSON.stringify(detail);
  } catch {}
  return undefined;
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | null)?.code ?? "");
}

/** The message, and those of the attempts at each of a name's addresses. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join("; ");
  return messageOf(error) || codeOf(error);
}
