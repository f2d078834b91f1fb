import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  /** The parsed body; undefined if there was none. */
  readonly body: unknown;
  /** Settles when the client's connection has closed. */
  readonly closed: Promise<void>;
}

export type Answer = (response: ServerResponse, asked: Asked) => unknown;

/** A server that lasts as long as the test. What it was asked is in `asked`. */
export async function answering(answer: Answer): Promise<{ url: string; asked: Asked[] }> {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const closed = new Promise<void>((resolve) => response.on("close", resolve));
    let text = "";
    for await (const chunk of request) text += chunk;
    const { method = "", url: path = "", headers } = request;
    const one = { method, path, headers, body: text === "" ? undefined : JSON.parse(text), closed };
    asked.push(one);
    await answer(response, one);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

export function json(value: unknown): Answer {
  return (response) => response.setHeader("content-type", "application/json").end(JSON.stringify(value));
}

export function status(code: number, text: string, headers: Record<string, string> = {}): Answer {
  return (response) => response.writeHead(code, headers).end(text);
}
