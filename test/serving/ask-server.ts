import { afterEach } from "vitest";
import { type ModelServerOptions, startModelServer, type TestModelServer } from "./server.ts";

const open: TestModelServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

/** A server that ends with the test. */
export async function serve(options: Partial<ModelServerOptions> = {}): Promise<TestModelServer> {
  const server = await startModelServer({ policy: () => "ok", ...options });
  open.push(server);
  return server;
}

export interface Reply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the tests say what is in it
  readonly body: any;
}

/** POST, or GET without a body. */
export async function ask(server: TestModelServer, path: string, body?: unknown): Promise<Reply> {
  const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const response = await fetch(server.url + path, init);
  const text = await response.text();
  return {
    status: response.status,
    body: text.startsWith("{") || text.startsWith("[") ? JSON.parse(text) : text,
  };
}
