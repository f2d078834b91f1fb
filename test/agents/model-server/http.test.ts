import { createServer } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { ServerError } from "../../../agents/model-server/errors.ts";
import { type HttpOptions, jsonClient } from "../../../agents/model-server/http.ts";
import { retryAfter } from "../../../agents/model-server/http-faults.ts";
import { InputError } from "../../../core/errors.ts";
import { type Answer, answering, json, status } from "./answering.ts";

function clientOf(options: HttpOptions) {
  const client = jsonClient("test", options);
  onTestFinished(() => client.close());
  return client;
}

async function failure(work: Promise<unknown>): Promise<ServerError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ServerError);
  return error as ServerError;
}

/** A server that sends these bytes and closes, whatever it is asked. */
async function sending(bytes: string): Promise<string> {
  const server = createServer((socket) => socket.once("data", () => socket.end(bytes)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

test("posts JSON and gives the answer's JSON, Python's numbers included", async () => {
  const { url, asked } = await answering((response) => response.end('{"logprob":-Infinity}'));
  const client = clientOf({ url: `${url}/v1/`, apiKey: "secret" });
  expect(client.url).toBe(url);
  expect(await client.post("/v1/completions", { a: [1] }, undefined, { "x-key": "b" })).toEqual({
    logprob: -Infinity,
  });
  expect(asked[0]).toMatchObject({ method: "POST", path: "/v1/completions", body: { a: [1] } });
  expect(asked[0]!.headers).toMatchObject({ authorization: "Bearer secret", "x-key": "b" });
  expect(asked[0]!.headers).not.toHaveProperty("accept-encoding");
  await client.get("/health");
  expect(asked[1]).toMatchObject({ method: "GET", path: "/health", body: undefined });
});

test("requests one after the other share connections", async () => {
  const ports = new Set<number>();
  const { url } = await answering((response) => {
    ports.add(response.socket!.remotePort!);
    response.end("1");
  });
  const client = clientOf({ url });
  for (let at = 0; at < 9; at++) await client.post("/", {});
  expect(ports.size).toBeLessThanOrEqual(2);
});

test("no more connections are open at once than were allowed", async () => {
  let [open, most] = [0, 0];
  const { url } = await answering(async (response) => {
    most = Math.max(most, ++open);
    await new Promise((resolve) => setTimeout(resolve, 20));
    open--;
    response.end("1");
  });
  const client = clientOf({ url, connections: 3 });
  await Promise.all(Array.from({ length: 12 }, () => client.post("/", {})));
  expect(most).toBe(3);
});

describe("an answer that is none", () => {
  const cases: readonly [string, Answer, Partial<ServerError>, RegExp][] = [
    [
      "429",
      status(429, "slow", { "retry-after": "2" }),
      { fault: "overloaded", status: 429, retryAfterMs: 2000 },
      /slow/,
    ],
    ["503", status(503, ""), { fault: "overloaded", status: 503, retryAfterMs: undefined }, /nothing else/],
    ["408 of a router's queue", status(408, "queue"), { fault: "overloaded", status: 408 }, /queue/],
    [
      "400, OpenAI's way",
      status(400, '{"error":{"message":"too long"}}'),
      { fault: "refused", status: 400 },
      /"too long"/,
    ],
    [
      "422, FastAPI's way",
      status(422, '{"detail":[{"loc":["n"]}]}'),
      { fault: "refused", status: 422 },
      /loc/,
    ],
    ["404", status(404, "Not Found"), { fault: "refused", status: 404 }, /Not Found/],
    ["a redirect", status(302, "", { location: "/b" }), { fault: "refused", status: 302 }, /302/],
    ["500", status(500, "boom"), { fault: "server-error", status: 500 }, /boom/],
    ["a long 500", status(500, "x".repeat(1e6)), { fault: "server-error", status: 500 }, /x{500}"/],
    ["a 500 whose text breaks off", cutAfter(500), { fault: "server-error", status: 500 }, /500/],
    ["no JSON", status(200, "<html>"), { fault: "malformed", status: 200 }, /begins with "<html>"/],
    ["nothing", status(200, ""), { fault: "malformed" }, /not JSON/],
    ["no content", status(204, ""), { fault: "malformed" }, /not JSON/],
    [
      "no UTF-8",
      (response) => response.end(Buffer.from([0x22, 0xff, 0x22])),
      { fault: "malformed" },
      /UTF-8/,
    ],
    ["gzip", status(200, "1", { "content-encoding": "gzip" }), { fault: "malformed" }, /compressed/],
    ["a cut in the body", cutAfter(200), { fault: "cut", status: 200 }, /broke off/],
    [
      "a cut before it",
      (response) => response.destroy(),
      { fault: "unreachable", status: undefined },
      /no answer/,
    ],
  ];
  test.each(cases)("%s", async (_, answer, expected, message) => {
    const { url, asked } = await answering(answer);
    const error = await failure(clientOf({ url, apiKey: "secret" }).post("/generate", {}));
    expect(error).toMatchObject(expected);
    expect(error.message).toMatch(message);
    expect(error.message).toMatch(/^test: POST http:\S+\/generate: /);
    expect(error.message).not.toContain("secret");
    expect(error.message.length).toBeLessThan(700);
    expect(asked).toHaveLength(1);
  });

  test.each([
    ["chunked, cut", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n[1,2,\r\n", "cut"],
    ["with a length, cut", "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n[1,2,", "cut"],
    [
      "chunked, nonsense",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n[1,2,\r\n",
      "malformed",
    ],
    ["not HTTP", "SSH-2.0-OpenSSH\r\n\r\n", "malformed"],
    ["headers without end", `HTTP/1.1 200 OK\r\nA: ${"a".repeat(40_000)}`, "malformed"],
    ["headers, cut", "HTTP/1.1 200 OK\r\nContent-", "unreachable"],
  ])("%s", async (_, bytes, fault) => {
    const error = await failure(clientOf({ url: await sending(bytes) }).post("/", {}));
    expect(error).toMatchObject({ fault });
  });

  test("nobody listens", async () => {
    const error = await failure(clientOf({ url: "http://127.0.0.1:9" }).post("/", {}));
    expect(error).toMatchObject({ fault: "unreachable", status: undefined });
    expect(error.message).toMatch(/ECONNREFUSED/);
  });
});

test("of a refusal no more is read than a message needs", async () => {
  const { url, asked } = await answering((response) => response.writeHead(500).write("x".repeat(1e5)));
  expect(await failure(clientOf({ url, totalMs: 60_000 }).post("/", {}))).toMatchObject({
    fault: "server-error",
  });
  await asked[0]!.closed;
});

test("a body over the cap is given up, and its connection with it", async () => {
  const { url, asked } = await answering((response) => {
    response.write(`"${"x".repeat(2000)}`);
  });
  const error = await failure(clientOf({ url, maxBodyBytes: 1000 }).post("/", {}));
  expect(error).toMatchObject({ fault: "malformed" });
  expect(error.message).toContain("over 1000 bytes");
  await asked[0]!.closed;
});

describe("time-outs", () => {
  test.each<[string, Answer]>([
    ["no answer", () => {}],
    ["an answer without an end", (response) => response.write("[1,")],
    ["a refusal without an end", (response) => response.writeHead(500).write("b")],
  ])("%s ends after the total time", async (_, answer) => {
    const { url, asked } = await answering(answer);
    const error = await failure(clientOf({ url, totalMs: 100 }).post("/", {}));
    expect(error).toMatchObject({ fault: "timeout" });
    expect(error.message).toContain("within 100 ms");
    await asked[0]!.closed;
  });

  test("a TLS handshake without an end is a connection that does not come about", async () => {
    const server = createServer(() => {});
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const error = await failure(clientOf({ url: `https://127.0.0.1:${port}`, connectMs: 100 }).post("/", {}));
    expect(error).toMatchObject({ fault: "timeout" });
    expect(error.message).toContain("cannot connect");
  });

  test("answers that come in time leave no timers behind", async () => {
    const { url } = await answering(json(1));
    const client = clientOf({ url, totalMs: 60_000 });
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    await client.post("/", {});
    const before = timers();
    for (let at = 0; at < 20; at++) await client.post("/", {});
    expect(timers()).toBeLessThan(before + 10);
  });
});

describe("an abort", () => {
  test.each<[string, Answer]>([
    ["before the answer", () => {}],
    ["within the answer", (response) => response.write("[1,")],
    ["within a refusal", (response) => response.writeHead(500).write("b")],
  ])("%s rejects with the signal's reason and closes the connection", async (_, answer) => {
    const { url, asked } = await answering(answer);
    const controller = new AbortController();
    const reason = new Error("the branch has gone");
    const work = clientOf({ url }).post("/", {}, controller.signal);
    work.catch(() => {});
    await expect.poll(() => asked.length).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 30));
    controller.abort(reason);
    await expect(work).rejects.toBe(reason);
    await asked[0]!.closed;
  });

  test("that came earlier sends nothing", async () => {
    const { url, asked } = await answering(json(1));
    await expect(clientOf({ url }).post("/", {}, AbortSignal.abort("gone"))).rejects.toBe("gone");
    expect(asked).toEqual([]);
  });

  test("of one request leaves the others alone", async () => {
    const { url } = await answering((response) => setTimeout(() => response.end("1"), 60));
    const client = clientOf({ url });
    const controller = new AbortController();
    const gone = client.post("/", {}, controller.signal);
    const stays = client.post("/", {}, new AbortController().signal);
    setTimeout(() => controller.abort("gone"), 20);
    await expect(gone).rejects.toBe("gone");
    expect(await stays).toBe(1);
  });

  test("closing ends what is under way", async () => {
    const { url, asked } = await answering(() => {});
    const client = jsonClient("test", { url });
    const work = failure(client.post("/", {}));
    await expect.poll(() => asked.length).toBe(1);
    await client.close();
    expect(await work).toMatchObject({ fault: "unreachable" });
    await asked[0]!.closed;
  });
});

test("a retry is asked for in seconds or by a date, counted by the server's clock", () => {
  const date = "Wed, 21 Oct 2026 07:28:00 GMT";
  expect(retryAfter({ "retry-after": "1.5" })).toBe(1500);
  expect(retryAfter({ "retry-after": "Wed, 21 Oct 2026 07:28:09 GMT", date })).toBe(9000);
  expect(retryAfter({ "retry-after": "Wed, 21 Oct 2026 07:27:00 GMT", date })).toBe(0);
  expect(retryAfter({ "retry-after": "Wed, 21 Oct 2026 07:28:09 GMT" })).toBeUndefined();
  expect(retryAfter({ "retry-after": "-1", date })).toBeUndefined();
  expect(retryAfter({})).toBeUndefined();
});

test.each<[Partial<HttpOptions>, RegExp]>([
  [{ url: "localhost:8000" }, /`url`/],
  [{ url: "nonsense" }, /`url`/],
  [{ url: "http://me:secret@host" }, /pass `apiKey`/],
  [{ url: "http://host/?key=secret" }, /query/],
  [{ apiKey: "secret\n" }, /`apiKey`/],
  [{ totalMs: 0 }, /`totalMs`/],
  [{ totalMs: 2 ** 31 }, /`totalMs`/],
  [{ connectMs: 0.5 }, /`connectMs`/],
  [{ connections: 0 }, /`connections`/],
  [{ maxBodyBytes: Number.NaN }, /`maxBodyBytes`/],
])("%j is refused, and no secret is told", (options, message) => {
  const make = () => jsonClient("test", { url: "http://host", ...options });
  expect(make).toThrow(InputError);
  expect(make).toThrow(message);
  expect(make).not.toThrow(/secret/);
});

/** Sends the head and a part of the body, then closes. */
function cutAfter(code: number): Answer {
  return (response) => {
    response.writeHead(code, { "content-length": "100" });
    response.write("[1,2", () => setTimeout(() => response.destroy(), 20));
  };
}
