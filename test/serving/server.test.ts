import { expect, test } from "vitest";
import { ask, serve } from "./ask-server.ts";
import { manualTimer } from "./manual-timer.ts";
import { randomReplies, scriptedReplies } from "./policies.ts";
import { startModelServer } from "./server.ts";
import { tinyTokenizer } from "./tokenizer.ts";

const settle = () => new Promise((resolve) => setTimeout(resolve, 30));
const prompt = new Array(100).fill(97);

test("/health says whether it is well, and /metrics counts as vLLM does", async () => {
  const server = await serve();
  await ask(server, "/v1/completions", { prompt });
  await ask(server, "/v1/completions", { prompt });
  expect(await ask(server, "/health")).toEqual({ status: 200, body: "" });
  server.set({ healthy: false });
  expect((await ask(server, "/health")).status).toBe(503);
  const { body } = await ask(server, "/metrics");
  const labels = 'engine="0",model_name="forkgym/tiny"';
  for (const line of [
    "# TYPE vllm:num_requests_running gauge",
    `vllm:num_requests_running{${labels}} 0`,
    `vllm:num_requests_waiting{${labels}} 0`,
    `vllm:kv_cache_usage_perc{${labels}} 0`,
    `vllm:prefix_cache_queries_total{${labels}} 200`,
    `vllm:prefix_cache_hits_total{${labels}} 96`,
    `vllm:prompt_tokens_total{${labels}} 200`,
    `vllm:generation_tokens_total{${labels}} 6`,
    `vllm:num_preemptions_total{${labels}} 0`,
    'vllm:request_success_total{engine="0",finished_reason="stop",model_name="forkgym/tiny"} 2',
    `vllm:e2e_request_latency_seconds_count{${labels}} 2`,
    `vllm:time_to_first_token_seconds_bucket{${labels},le="+Inf"} 2`,
  ]) {
    expect(body.split("\n")).toContain(line);
  }
  expect(server.stats()).toMatchObject({ requests: 2, faults: 0, generatedTokens: 6 });
});

test("the same request has the same answer, on another server too", async () => {
  const policy = randomReplies(["Up", "Down", "Left", "Right"]);
  const servers = [await serve({ policy }), await serve({ policy })];
  const texts = servers.map(async (server) => {
    const replies = [];
    for (let seed = 0; seed < 20; seed++)
      replies.push(await ask(server, "/v1/completions", { prompt: "hi", seed }));
    return replies.map(({ body }) => body.choices[0].text);
  });
  expect(await texts[0]).toEqual(await texts[1]);
});

test("a script goes by the turn of the conversation", async () => {
  const server = await serve({ policy: scriptedReplies(["first", "second"]) });
  const messages = [{ role: "user", content: "?" }];
  for (const expected of ["first", "second", "second"]) {
    const { body } = await ask(server, "/v1/chat/completions", { messages });
    expect(body.choices[0].message.content).toBe(expected);
    messages.push(body.choices[0].message, { role: "user", content: "?" });
  }
});

test("slots, steps and prompts take the time that they cost", async () => {
  const timer = manualTimer();
  const server = await serve({ timer, slots: 2, msPerStep: 10, msPer1kPrefill: 1000, policy: () => "abc" });
  const done: string[] = [];
  const send = (name: string) =>
    ask(server, "/v1/completions", { prompt: tinyTokenizer.encode(name.repeat(100)) }).then(() =>
      done.push(name),
    );
  for (const name of ["a", "b", "c"]) {
    void send(name);
    await settle();
  }
  expect(server.stats()).toMatchObject({ running: 1, waiting: 2 });
  // 100 ms for a's prompt and a step of 10; then 100 ms for b's, and three steps for the rest of a.
  timer.advance(110);
  expect(server.stats()).toMatchObject({ running: 2, waiting: 1 });
  timer.advance(130);
  await settle();
  expect(done).toEqual(["a"]);
  expect(server.stats()).toMatchObject({ running: 2, waiting: 0, busySlotMs: 110 + 2 * 130, elapsedMs: 240 });
  expect(server.stats().busyShare).toBeCloseTo(370 / 480, 12);
  timer.advance(1000);
  await settle();
  expect(done).toEqual(["a", "b", "c"]);
});

test("a client that goes away frees its slot", async () => {
  const timer = manualTimer();
  const server = await serve({ timer, slots: 1, msPerStep: 10, policy: () => "x".repeat(1000) });
  const away = new AbortController();
  const body = JSON.stringify({ prompt: "a", max_tokens: 2000 });
  const gone = fetch(`${server.url}/v1/completions`, { method: "POST", body, signal: away.signal });
  await settle();
  timer.advance(15);
  away.abort();
  await expect(gone).rejects.toThrow("aborted");
  await settle();
  timer.advance(5);
  expect(server.stats()).toMatchObject({ running: 0, aborted: 1, generatedTokens: 2 });
});

test("a closed server can be started again on its port", async () => {
  const first = await startModelServer({ policy: () => "first", misbehave: { kind: "no-reply" } });
  const hanging = ask(first, "/v1/completions", { prompt: "a" });
  await settle();
  await first.close();
  await expect(hanging).rejects.toThrow();
  const second = await serve({ policy: () => "second", port: Number(new URL(first.url).port) });
  expect(second.url).toBe(first.url);
  expect((await ask(second, "/v1/completions", { prompt: "a" })).body.choices[0].text).toBe("second");
});

test("policies can change in mid-run, and one that throws is an error of the server", async () => {
  const server = await serve();
  server.set({
    policy: () => {
      throw new Error("lost");
    },
  });
  const { status, body } = await ask(server, "/v1/completions", { prompt: "a" });
  expect([status, body.error.message]).toEqual([500, "Error: lost"]);
});

test("other paths are not found", async () => {
  expect((await ask(await serve(), "/v2/completions", {})).status).toBe(404);
});
