import { expect, test } from "vitest";
import { ask, serve } from "./ask-server.ts";
import { type FaultRequest, type ModelFault, modelFaults } from "./faults.ts";

const body = { prompt: "hi", logprobs: 0, return_token_ids: true, max_tokens: 9, n: 2 };
const raw = async (url: string) => {
  const response = await fetch(`${url}/v1/completions`, { method: "POST", body: JSON.stringify(body) });
  return { response, text: await response.text() };
};
const faulty = async (fault: ModelFault) => (await serve({ policy: () => "abcdef", misbehave: fault })).url;
const firstChoice = async (fault: ModelFault) => JSON.parse((await raw(await faulty(fault))).text).choices[0];

test("429 says when to come back, 500 and the proxy's page are what they are", async () => {
  const busy = await raw(await faulty({ kind: "too-many-requests", retryAfterS: 2 }));
  expect([busy.response.status, busy.response.headers.get("retry-after")]).toEqual([429, "2"]);
  expect((await raw(await faulty({ kind: "server-error" }))).response.status).toBe(500);
  const page = await raw(await faulty({ kind: "html" }));
  expect([page.response.status, page.response.headers.get("content-type")]).toEqual([502, "text/html"]);
});

test("a cut connection is cut before the answer, or within the body", async () => {
  await expect(raw(await faulty({ kind: "cut-before" }))).rejects.toThrow("fetch failed");
  await expect(raw(await faulty({ kind: "cut-body" }))).rejects.toThrow("terminated");
});

test("no reply is none", async () => {
  const url = await faulty({ kind: "no-reply" });
  const late = new Promise((resolve) => setTimeout(resolve, 100, "late"));
  const answer = raw(url).catch(() => "cut at the end of the test");
  expect(await Promise.race([answer, late])).toBe("late");
});

test("slow is late and right", async () => {
  const start = performance.now();
  expect((await firstChoice({ kind: "slow", ms: 50 })).text).toBe("abcdef");
  expect(performance.now() - start).toBeGreaterThan(45);
});

test("bad JSON has its right length, and the content type may be wrong", async () => {
  const { text } = await raw(await faulty({ kind: "bad-json" }));
  expect(() => JSON.parse(text)).toThrow();
  const plain = await raw(await faulty({ kind: "content-type" }));
  expect(plain.response.headers.get("content-type")).toBe("text/plain");
  expect(JSON.parse(plain.text).choices).toHaveLength(2);
});

test("a huge body is as huge as told", async () => {
  const { text } = await raw(await faulty({ kind: "huge-body", bytes: 3_000_000 }));
  expect(text.length).toBeGreaterThan(3_000_000);
  expect(JSON.parse(text).choices).toHaveLength(2);
});

test("NaN is written as Python writes it", async () => {
  const { text } = await raw(await faulty({ kind: "nan-logprobs" }));
  expect(text).toContain('"token_logprobs":[NaN,0,0,0,0,0,0]');
  expect(() => JSON.parse(text)).toThrow();
});

test("log-probabilities are missing in part, in whole or by one", async () => {
  expect((await firstChoice({ kind: "null-logprob" })).logprobs.token_logprobs[0]).toBeNull();
  expect((await firstChoice({ kind: "no-logprobs" })).logprobs).toBeNull();
  expect((await firstChoice({ kind: "floor-logprob" })).logprobs.token_logprobs.slice(0, 2)).toEqual([
    -9999, 0,
  ]);
  const uneven = await firstChoice({ kind: "uneven-logprobs" });
  expect(uneven.logprobs.token_logprobs.length).toBe(uneven.token_ids.length - 1);
});

test("a choice is missing, a text cut, a prompt changed, a reason unknown, a reply given up", async () => {
  const few = await raw(await faulty({ kind: "fewer-choices" }));
  expect(JSON.parse(few.text).choices).toHaveLength(1);
  const cut = await firstChoice({ kind: "text-cut" });
  expect(cut).toMatchObject({ text: "abc", stop_reason: "d" });
  expect(cut.token_ids).toHaveLength(7);
  expect((await firstChoice({ kind: "changed-prompt" })).prompt_token_ids).toEqual([256, 104, 105]);
  expect((await firstChoice({ kind: "finish-reason", value: "odd" })).finish_reason).toBe("odd");
  const gone = await firstChoice({ kind: "abort" });
  expect([gone.finish_reason, gone.token_ids.length]).toEqual(["abort", 4]);
});

test("a reply may be of stale weights, while the server says it has the new ones", async () => {
  const server = await serve({ weightVersion: "2", misbehave: { kind: "stale-weights", version: "1" } });
  const stale = await ask(server, "/generate", { input_ids: [1] });
  expect(stale.body.meta_info.weight_version).toBe("1");
  expect((await ask(server, "/weight_info")).body.weight_version).toBe("2");
});

test("a body may be changed at will", async () => {
  const { text } = await raw(
    await faulty({ kind: "body", change: (valid) => valid.replace("abcdef", "other") }),
  );
  expect(text).toContain("other");
});

test("reward routes misbehave too", async () => {
  const server = await serve({ misbehave: { kind: "fewer-choices" } });
  const input = [[97, 98], [99]];
  const lengths = async (fault: ModelFault) => {
    server.set({ misbehave: fault });
    const { body: reply } = await ask(server, "/v1/embeddings", { input });
    return reply.data.map((one: { embedding: unknown[] }) => one.embedding.length);
  };
  expect(await lengths({ kind: "fewer-choices" })).toEqual([2]);
  expect(await lengths({ kind: "uneven-logprobs" })).toEqual([1, 1]);
  server.set({ misbehave: { kind: "null-logprob" } });
  expect((await ask(server, "/v1/embeddings", { input })).body.data[0].embedding[0]).toBeNull();
});

test("a plan is one for each request and then none, or a choice by request", async () => {
  const server = await serve({ misbehave: [undefined, { kind: "server-error" }] });
  const statuses = [];
  for (let i = 0; i < 3; i++) statuses.push((await ask(server, "/v1/completions", body)).status);
  expect(statuses).toEqual([200, 500, 200]);
  const seen: FaultRequest[] = [];
  server.set({
    misbehave: (request) => {
      seen.push(request);
      return request.path === "/generate" ? { kind: "server-error" } : undefined;
    },
  });
  expect((await ask(server, "/generate", { input_ids: [1] })).status).toBe(500);
  expect((await ask(server, "/v1/completions", body)).status).toBe(200);
  expect(seen).toEqual([
    { number: 3, path: "/generate", body: { input_ids: [1] } },
    { number: 4, path: "/v1/completions", body },
  ]);
  expect(server.stats()).toMatchObject({ requests: 5, faults: 2 });
  server.set({ misbehave: undefined });
  expect((await ask(server, "/generate", { input_ids: [1] })).status).toBe(200);
});

test("there is one of each kind to go through", () => {
  const kinds = modelFaults.map(({ kind }) => kind);
  expect(new Set(kinds).size).toBe(kinds.length);
  expect(kinds).toHaveLength(21);
});
