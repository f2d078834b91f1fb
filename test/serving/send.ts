import type { ServerResponse } from "node:http";
import type { ServerTimer } from "./engine.ts";
import type { ModelFault } from "./faults.ts";

/** An answer as it should be sent. */
export interface Answer {
  readonly status: number;
  /** Sent as JSON; undefined for an empty body. */
  readonly body: unknown;
}

/** vLLM's form of an error. */
export function errorAnswer(
  status: number,
  type: string,
  message: string,
  param: string | null = null,
): Answer {
  return { status, body: { error: { message, type, param, code: status } } };
}

const HTML =
  "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n" +
  "</body>\r\n</html>\r\n";

/** Whether the fault leaves the model no part in the answer. */
export function answersFor(fault: ModelFault | undefined, response: ServerResponse): boolean {
  switch (fault?.kind) {
    case "too-many-requests": {
      const { retryAfterS } = fault;
      if (retryAfterS !== undefined) response.setHeader("retry-after", String(retryAfterS));
      write(response, errorAnswer(429, "TooManyRequests", "too many requests"), "application/json");
      return true;
    }
    case "server-error":
      write(
        response,
        errorAnswer(500, "InternalServerError", "EngineCore encountered an issue."),
        "application/json",
      );
      return true;
    case "html":
      response.writeHead(502, { "content-type": "text/html" }).end(HTML);
      return true;
    case "no-reply":
      return true;
    case "cut-before":
      response.socket?.destroy();
      return true;
    default:
      return false;
  }
}

/** Sends what the model answered, as the fault has it. */
export function send(
  response: ServerResponse,
  answer: Answer,
  fault: ModelFault | undefined,
  timer: ServerTimer,
): void {
  if (response.destroyed) return;
  const body = toJson(answer.body);
  switch (fault?.kind) {
    case "slow":
      timer.after(fault.ms, () => send(response, answer, undefined, timer));
      break;
    case "cut-body":
      response.writeHead(answer.status, headers("application/json", Buffer.byteLength(body)));
      response.write(body.slice(0, body.length / 2), () => response.socket?.destroy());
      break;
    case "bad-json":
      writeText(response, answer.status, body.slice(0, body.length * 0.75), "application/json");
      break;
    case "content-type":
      writeText(response, answer.status, body, "text/plain");
      break;
    case "huge-body":
      writeHuge(response, answer.status, body, fault.bytes);
      break;
    case "body": {
      const changed = fault.change(body);
      response.writeHead(answer.status, headers("application/json", Buffer.byteLength(changed)));
      response.end(changed);
      break;
    }
    default:
      write(response, answer, "application/json");
      break;
  }
}

function write(response: ServerResponse, { status, body }: Answer, type: string): void {
  writeText(response, status, toJson(body), type);
}

function writeText(response: ServerResponse, status: number, text: string, type: string): void {
  response.writeHead(status, headers(type, Buffer.byteLength(text))).end(text);
}

function headers(type: string, length: number): Record<string, string | number> {
  return { "content-type": type, "content-length": length };
}

/** Chunk by chunk, as fast as the client reads, until it has had enough. */
function writeHuge(response: ServerResponse, status: number, body: string, bytes: number): void {
  response.writeHead(status, headers("application/json", Buffer.byteLength(body) + bytes));
  response.write(body.slice(0, -1));
  let left = bytes;
  const blanks = Buffer.alloc(1 << 16, " ");
  const more = () => {
    while (left > 0) {
      const size = Math.min(left, blanks.length);
      left -= size;
      if (!response.write(blanks.subarray(0, size))) {
        response.once("drain", more);
        return;
      }
    }
    response.end(body.slice(-1));
  };
  more();
}

const NAN = "\u0000NaN";

/** JSON as Python writes it: NaN as NaN. */
function toJson(body: unknown): string {
  if (body === undefined) return "";
  // JSON.stringify writes NaN as null; a replacer is slow on long lists of tokens.
  if (!hasNaN(body)) return JSON.stringify(body);
  const text = JSON.stringify(body, (_, value) => (Number.isNaN(value) ? NAN : value));
  return text.replaceAll(JSON.stringify(NAN), "NaN");
}

function hasNaN(value: unknown): boolean {
  if (typeof value === "number") return Number.isNaN(value);
  if (typeof value !== "object" || value === null) return false;
  if (!Array.isArray(value)) return Object.values(value).some(hasNaN);
  // Most are long lists of tokens.
  return value.some((one) => (typeof one === "number" ? Number.isNaN(one) : hasNaN(one)));
}
