import { createServer, type Server, type Socket } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ServerError } from "../../agents/model-server/errors.ts";
import type { ModelServer, Sample, SampleRequest } from "../../agents/model-server/model-server.ts";
import { modelFaults } from "./faults.ts";
import { type Mutation, mutated, mutation } from "./mutations.ts";
import { randomReplies } from "./policies.ts";
import { type Body, messages, promptTokenIds, READERS } from "./readers.ts";
import { startModelServer, type TestModelServer } from "./server.ts";

const RUNS = 3_000;
/** Every body is sent whole or cut off, so that nothing should ever wait for it. */
const totalMs = 10_000;
const requestOf = (seed: number): SampleRequest => ({
  promptTokenIds,
  messages,
  maxTokens: 4,
  temperature: 1,
  topP: 1,
  topK: -1,
  seed,
  stopTokenIds: [10],
  topLogprobs: 2,
});

/** The laws of every sample. */
function checkSample(sample: Sample, tokenExact: boolean): void {
  const whole = (value: unknown) => expect(Number.isSafeInteger(value) && (value as number) >= 0).toBe(true);
  const logs = (values: readonly number[]) => {
    for (const value of values) expect(Number.isFinite(value) && value <= 0).toBe(true);
  };
  expect(typeof sample.text).toBe("string");
  expect(["stop", "length"]).toContain(sample.finishReason);
  whole(sample.promptTokens);
  whole(sample.generatedTokens);
  if (sample.cachedTokens !== undefined) whole(sample.cachedTokens);
  if (sample.stopReason !== undefined) expect(["number", "string"]).toContain(typeof sample.stopReason);
  if (sample.weightVersion !== undefined) expect(typeof sample.weightVersion).toBe("string");
  if (sample.logprobs !== undefined) logs(sample.logprobs);
  for (const logprob of sample.logprobs ?? []) expect(logprob).toBeGreaterThan(-9999);
  if (sample.cachedTokens !== undefined) expect(sample.cachedTokens).toBeLessThanOrEqual(sample.promptTokens);
  if (sample.topLogprobs !== undefined) {
    expect(sample.topLogprobs).toHaveLength(sample.logprobs!.length);
    for (const place of sample.topLogprobs) {
      logs(place);
      expect(place.length).toBeLessThanOrEqual(2);
      expect(place).toEqual([...place].sort((a, b) => b - a));
    }
  }
  if (!tokenExact) return;
  expect(sample.promptTokenIds).toEqual(promptTokenIds);
  expect(sample.promptTokens).toBe(promptTokenIds.length);
  for (const id of sample.tokenIds!) whole(id);
  expect(sample.tokenIds!.length).toBeGreaterThan(0);
  expect(sample.tokenIds!.length).toBeLessThanOrEqual(4);
  expect(sample.logprobs).toHaveLength(sample.tokenIds!.length);
  expect(sample.topLogprobs).toHaveLength(sample.tokenIds!.length);
  expect(sample.generatedTokens).toBe(sample.tokenIds!.length);
}

/** A sample, or the fault of the server; anything else fails the test. */
async function outcome(client: ModelServer, seed: number): Promise<Sample | string> {
  try {
    return await client.sample(requestOf(seed));
  } catch (error) {
    if (!(error instanceof ServerError) || error.fault === "timeout") throw error;
    return error.fault;
  }
}

/** As the adapters may read it: Python's numbers are numbers. */
function parsed(bytes: Uint8Array): Body {
  const text = Buffer.from(bytes).toString();
  return JSON.parse(
    text.replaceAll(/(?<=[[:,]\s*)(-?)Infinity/g, "$11e999").replaceAll(/(?<=[[:,]\s*)NaN/g, "null"),
  );
}

const pick = (sample: Sample, keys: readonly string[]) =>
  Object.fromEntries(keys.map((key) => [key, sample[key as keyof Sample]]));

describe("a reply that was tampered with is a right sample or the server's fault", () => {
  let server: TestModelServer;
  let change: (body: string) => Uint8Array | string;
  beforeAll(async () => {
    server = await startModelServer({
      policy: randomReplies(["U", "D\n", "long one", "é"]),
      misbehave: { kind: "body", change: (body) => change(body) },
    });
  });
  afterAll(() => server.close());

  test.each(Object.entries(READERS))(
    "%s",
    async (_, { make, read }) => {
      const client = make({ url: server.url, model: "forkgym/tiny", totalMs });
      const seen: Record<string, number> = {};
      const law = async (how: Mutation, seed: number) => {
        let sent: Uint8Array = new Uint8Array();
        change = (body) => {
          sent = mutated(body, how);
          return sent;
        };
        // Else one reply with another version would make all that follow stale.
        client.forgetWeights!();
        const result = await outcome(client, seed);
        const name = typeof result === "string" ? result : "sample";
        seen[name] = (seen[name] ?? 0) + 1;
        if (typeof result === "string") {
          // The HTTP was whole and said 200.
          expect(["malformed", "aborted-by-server"]).toContain(result);
          return;
        }
        checkSample(result, client.tokenExact);
        const expected = read(parsed(sent));
        expect(pick(result, Object.keys(expected))).toEqual(expected);
      };
      await fc.assert(fc.asyncProperty(mutation, fc.nat(1000), law), { numRuns: RUNS });
      await client.close();
      // Else the mutations are too mild or too wild to tell anything.
      expect(seen.sample).toBeGreaterThan(RUNS / 20);
      expect(seen.malformed).toBeGreaterThan(RUNS / 20);
    },
    120_000,
  );
});

/** What comes of each of the test server's faults; where two are named, the second is that of the OpenAI route. */
const OUTCOMES: Readonly<Record<string, readonly string[]>> = {
  slow: ["sample"],
  "too-many-requests": ["overloaded"],
  "server-error": ["server-error"],
  html: ["server-error"],
  "no-reply": ["timeout"],
  "cut-before": ["unreachable"],
  "cut-body": ["cut"],
  "bad-json": ["malformed"],
  "content-type": ["sample"],
  "huge-body": ["malformed"],
  "nan-logprobs": ["malformed", "sample"],
  "null-logprob": ["malformed", "sample"],
  "floor-logprob": ["malformed", "sample"],
  "no-logprobs": ["malformed", "sample"],
  "uneven-logprobs": ["malformed", "sample"],
  "fewer-choices": ["malformed"],
  "text-cut": ["sample"],
  "changed-prompt": ["malformed", "sample"],
  "finish-reason": ["malformed"],
  abort: ["aborted-by-server"],
  "stale-weights": ["sample"],
};

describe("each way to misbehave has one outcome", () => {
  test.each(modelFaults.map((fault) => [fault.kind, fault] as const))("%s", async (kind, misbehave) => {
    const server = await startModelServer({ policy: () => "abc", misbehave });
    const limits = { totalMs: kind === "no-reply" ? 100 : totalMs, maxBodyBytes: 1 << 20 };
    for (const { make } of Object.values(READERS)) {
      const client = make({ url: server.url, model: "forkgym/tiny", ...limits });
      const result = await client.sample(requestOf(1)).catch((error: unknown) => error);
      await client.close();
      const [ids, text = ids] = OUTCOMES[kind]!;
      const name = result instanceof Error ? (result as ServerError).fault : "sample";
      expect(`${client.name} ${name}`).toBe(`${client.name} ${client.tokenExact ? ids : text}`);
    }
    await server.close();
  });
});

describe("an answer whose bytes are not HTTP any more is a right sample or the server's fault", () => {
  let server: Server;
  let answer: Buffer = Buffer.alloc(0);
  const sockets = new Set<Socket>();
  beforeAll(async () => {
    server = createServer((socket) => {
      sockets.add(socket);
      socket.on("error", () => {}).on("close", () => sockets.delete(socket));
      // The request is one packet; whatever the answer is, the connection ends with it.
      socket.once("data", () => socket.end(answer));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  test("vLLM /v1/completions over 2,000 broken answers", async () => {
    const { make, read } = READERS["vLLM /v1/completions"]!;
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const client = make({ url: `http://127.0.0.1:${port}`, model: "tiny", totalMs });
    const body = await validBody();
    const heads = fc.constantFrom(
      `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`,
      "HTTP/1.1 200 OK\r\n\r\n",
      `HTTP/1.1 200 OK\r\ncontent-length: ${body.length + 7}\r\n\r\n`,
      `HTTP/1.1 200 OK\r\ncontent-length: ${body.length - 7}\r\n\r\n`,
      `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n`,
      `HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${body.length}\r\n\r\n`,
      `HTTP/1.1 503 Busy\r\ncontent-length: ${body.length}\r\n\r\n`,
      `HTTP/1.1 302 Found\r\nlocation: /elsewhere\r\ncontent-length: ${body.length}\r\n\r\n`,
      "HTTP/1.1 204 None\r\n\r\n",
      "HTTP/1.1 100 Continue\r\n\r\n",
      "",
    );
    const damage = fc.record({
      cut: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined }),
      bytes: fc.array(fc.record({ at: fc.nat(), byte: fc.nat(255) }), { maxLength: 2 }),
    });
    const law = async (
      head: string,
      { cut, bytes }: { cut: number | undefined; bytes: { at: number; byte: number }[] },
    ) => {
      const all = Buffer.from(head + body);
      answer = cut === undefined ? all : all.subarray(0, Math.floor(all.length * cut));
      for (const { at, byte } of bytes) if (answer.length > 0) answer[at % answer.length] = byte;
      const result = await outcome(client, 1);
      if (typeof result === "string") return;
      checkSample(result, true);
      const text = answer.toString();
      const expected = read(parsed(Buffer.from(text.slice(text.search(/\r\n\r\n/) + 4))));
      expect(pick(result, Object.keys(expected))).toEqual(expected);
    };
    await fc.assert(fc.asyncProperty(heads, damage, law), { numRuns: 2_000 });
    await client.close();
  }, 120_000);

  /** As the test server answers the adapter. */
  async function validBody(): Promise<string> {
    let body = "";
    const keep = (text: string) => {
      body = text;
      return text;
    };
    const valid = await startModelServer({ policy: () => "U", misbehave: { kind: "body", change: keep } });
    const client = READERS["vLLM /v1/completions"]!.make({ url: valid.url, model: "forkgym/tiny", totalMs });
    await client.sample(requestOf(1));
    await client.close();
    await valid.close();
    return body;
  }
});
