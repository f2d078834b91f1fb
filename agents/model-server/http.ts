import { setMaxListeners } from "node:events";
import type { Agent, Dispatcher } from "undici";
import { wholeFrom, within } from "../../core/check.ts";
import { InputError } from "../../core/errors.ts";
import { ServerError } from "./errors.ts";
import { brokenAnswer, brokenConnection, refusal } from "./http-faults.ts";
import { parseJson } from "./json-text.ts";

/** How a server is spoken to. */
export interface HttpOptions {
  /** `http://host:port`, or with a path; a `/v1` at the end is left out, since every route here has its own. */
  readonly url: string;
  /** Sent as `Authorization: Bearer ...`; never in a message or a record. @default none */
  readonly apiKey?: string;
  /** Milliseconds to reach the server, TLS included; from 1 to 2^31 - 1. @default 10,000 */
  readonly connectMs?: number;
  /**
   * Milliseconds from the call to the last byte of the answer, waiting for a free connection included; from 1
   * to 2^31 - 1.
   * @default 1,800,000: a long reply on a busy server takes minutes
   */
  readonly totalMs?: number;
  /** Connections that are open at once; more requests wait for one. From 1. @default 1,024 */
  readonly connections?: number;
  /** An answer's largest size; a larger one is a `malformed` reply. From 1. @default 67,108,864 */
  readonly maxBodyBytes?: number;
}

/** JSON over HTTP with one server: kept-alive connections, no hidden retries, every failure a `ServerError`. */
export interface JsonClient {
  /** Where it speaks to, without a slash at the end. */
  readonly url: string;
  /**
   * The answer's JSON value. Rejects with the signal's reason as soon as it aborts; the request's connection is closed.
   * @throws {ServerError}
   */
  post(path: string, body: unknown, signal?: AbortSignal, headers?: Headers): Promise<unknown>;
  /** As `post`. @throws {ServerError} */
  get(path: string, signal?: AbortSignal): Promise<unknown>;
  /** Ends what is under way and all connections. */
  close(): Promise<void>;
}

type Headers = Readonly<Record<string, string>>;

/**
 * @param part who asks, for messages.
 * @throws {InputError} on a bad option.
 */
export function jsonClient(part: string, options: HttpOptions): JsonClient {
  const url = baseUrl(part, options.url);
  const connectMs = milliseconds(part, "connectMs", options.connectMs ?? 10_000);
  const totalMs = milliseconds(part, "totalMs", options.totalMs ?? 1_800_000);
  const connections = wholeFrom(1, part, "connections", options.connections ?? 1024);
  const maxBytes = wholeFrom(1, part, "maxBodyBytes", options.maxBodyBytes ?? 64 * 2 ** 20);
  const always = { accept: "application/json", ...authorization(part, options.apiKey) };
  const { origin, pathname } = new URL(url);
  const prefix = pathname === "/" ? "" : pathname;
  let agent: Promise<Agent> | undefined;

  async function connect(): Promise<Agent> {
    const { Agent } = await import("undici");
    // undici's own time-outs end a request after 300 s of silence; a long reply that is not streamed is silent.
    return new Agent({ connections, connect: { timeout: connectMs }, headersTimeout: 0, bodyTimeout: 0 });
  }

  async function ask(path: string, request: Asked, signal: AbortSignal | undefined): Promise<unknown> {
    signal?.throwIfAborted();
    const where = `${part}: ${request.method} ${url}${path}`;
    const controller = new AbortController();
    // Made when it is needed: an error takes its time to note where it was made.
    const late = () =>
      controller.abort(new ServerError("timeout", `${where}: no answer within ${totalMs} ms`));
    const timer = setTimeout(late, totalMs);
    const stop = () => controller.abort(signal?.reason);
    if (signal !== undefined) {
      // One signal may end any number of requests: many listeners are not a leak.
      setMaxListeners(0, signal);
      signal.addEventListener("abort", stop, { once: true });
    }
    let answer: Dispatcher.ResponseData | undefined;
    try {
      const target = { origin, path: prefix + path, ...request, signal: controller.signal };
      agent ??= connect();
      answer = await (await agent).request(target);
      const bytes = await readAll(where, answer, maxBytes);
      if (answer.statusCode < 200 || answer.statusCode > 299) throw refusal(where, answer, bytes);
      return decode(where, answer, bytes);
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (controller.signal.aborted) throw controller.signal.reason;
      if (error instanceof ServerError) throw error;
      throw answer === undefined ? brokenConnection(where, error) : brokenAnswer(where, answer, error);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
    }
  }

  return {
    url,
    post(path, body, signal, headers) {
      const all = { ...always, "content-type": "application/json", ...headers };
      return ask(path, { method: "POST", headers: all, body: JSON.stringify(body) }, signal);
    },
    get: (path, signal) => ask(path, { method: "GET", headers: always }, signal),
    async close() {
      agent ??= connect();
      await (await agent).destroy();
    },
  };
}

type Asked = { readonly method: "POST" | "GET"; readonly headers: Headers; readonly body?: string };

/** The body; of a refusal only what a message needs. To stop reading closes the connection. */
async function readAll(where: string, answer: Dispatcher.ResponseData, maxBytes: number): Promise<Buffer> {
  const isRefusal = answer.statusCode > 299;
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (isRefusal && size > 65_536) break;
      if (size > maxBytes) {
        const { statusCode: status } = answer;
        throw new ServerError("malformed", `${where}: the answer is over ${maxBytes} bytes`, { status });
      }
      chunks.push(chunk);
    }
  } catch (error) {
    // The status says what a refusal is, even if its text breaks off.
    if (!isRefusal) throw error;
  }
  return Buffer.concat(chunks);
}

function decode(
  where: string,
  { statusCode: status, headers }: Dispatcher.ResponseData,
  bytes: Buffer,
): unknown {
  const fail = (what: string, cause?: unknown) =>
    new ServerError("malformed", `${where}: ${what}`, { status, cause });
  const encoding = headers["content-encoding"] ?? "identity";
  if (encoding !== "identity") throw fail(`the answer is compressed (${encoding}), which was not asked for`);
  try {
    return parseJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw fail(
      `the answer is not JSON in UTF-8, it begins with ${JSON.stringify(String(bytes.subarray(0, 80)))}`,
      cause,
    );
  }
}

/** Node's timers hold no more than 2^31 - 1. */
function milliseconds(part: string, name: string, value: number): number {
  return within(1, 2 ** 31 - 1, part, name, wholeFrom(1, part, name, value));
}

function baseUrl(part: string, text: string): string {
  const bad = (why: string) =>
    new InputError(`${part}: expected \`url\` to be like http://host:8000, ${why}`);
  if (!URL.canParse(text)) throw bad(`got ${JSON.stringify(text)}`);
  const { protocol, username, password, search, hash, origin, pathname } = new URL(text);
  if (protocol !== "http:" && protocol !== "https:") throw bad(`got the protocol ${protocol}`);
  if (username !== "" || password !== "") throw bad("got one with a user or password; pass `apiKey`");
  if (search !== "" || hash !== "") throw bad("got one with a query or fragment");
  return origin + pathname.replace(/\/+$/, "").replace(/\/v1$/, "").replace(/\/+$/, "");
}

function authorization(part: string, apiKey: string | undefined): Headers {
  if (apiKey === undefined) return {};
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new InputError(`${part}: expected \`apiKey\` to be printable ASCII without spaces`);
  }
  return { authorization: `Bearer ${apiKey}` };
}
