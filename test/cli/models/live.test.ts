import { expect, test } from "vitest";
import { ServerError } from "../../../agents/model-server/errors.ts";
import { Meter } from "../../../agents/model-server/metrics/meter.ts";
import type { ModelServer, Sample, SampleRequest } from "../../../agents/model-server/model-server.ts";
import { serverPool } from "../../../agents/model-server/pool/pool.ts";
import { Live } from "../../../cli/models/live.ts";

const REQUEST: SampleRequest = {
  maxTokens: 8,
  temperature: 1,
  topP: 1,
  topK: -1,
  seed: 1,
  stopTokenIds: [],
  topLogprobs: 0,
};

/** A pool of servers that answer, or fail, when the test says so. */
function lab(endpoints: readonly string[], maxConcurrent = 1) {
  const clock = { ms: 0, now: () => clock.ms };
  const waiting: { readonly resolve: (sample: Sample) => void; readonly reject: (error: Error) => void }[] =
    [];
  const server: ModelServer = {
    name: "scripted",
    tokenExact: false,
    sample: () => new Promise((resolve, reject) => waiting.push({ resolve, reject })),
    close: async () => {},
  };
  const meter = new Meter();
  const servers = endpoints.map((endpoint) => ({ server, endpoint }));
  const pool = serverPool({ servers, maxConcurrent, meter, clock });
  const live = new Live(meter, () => pool.stats(), clock);
  const answer = async (promptTokens: number, generatedTokens: number, cachedTokens?: number) => {
    const asked = pool.sample(REQUEST);
    const sample: Sample = {
      text: "",
      finishReason: "stop",
      endpoint: "",
      promptTokens,
      generatedTokens,
      ...(cachedTokens !== undefined && { cachedTokens }),
    };
    waiting.shift()!.resolve(sample);
    live.answered(await asked);
  };
  return { clock, pool, live, waiting, answer };
}

test("rates are those of the last ten seconds, and of the whole run at the end", async () => {
  const { clock, live, answer } = lab(["http://a:1"]);
  expect(live.summary()).toBeUndefined();
  expect(live.words()).toBe("0.0 turns/s, 0.0 tokens/s, cached prompts not told, 0 running, 0 queued");
  for (let second = 0; second < 10; second++) {
    await answer(100, 40, 75);
    clock.ms += 1000;
    live.words();
  }
  expect(live.words()).toBe("1.0 turns/s, 40 tokens/s, 75.0% of the prompts cached, 0 running, 0 queued");
  clock.ms += 10_000;
  expect(live.words()).toBe("0.0 turns/s, 0.0 tokens/s, 75.0% of the prompts cached, 0 running, 0 queued");
  expect(live.summary()).toBe(
    "10 samples, 400 tokens generated of 1000 prompt tokens, 0.5 turns/s, 20 tokens/s, 75.0% of the prompts cached",
  );
});

test("requests running and queued are told by endpoint where there are several, and failures by cause", async () => {
  const { pool, live, waiting } = lab(["http://a:1", "http://b:2"]);
  const calls = [1, 2, 3].map(() => pool.sample(REQUEST).catch(() => {}));
  expect(live.words()).toMatch(/not told, a:1 1\+\d, b:2 1\+\d$/);
  waiting.shift()!.reject(new ServerError("cut", "cut"));
  await calls[0];
  while (waiting.length < 2) await Promise.resolve();
  for (const { reject } of waiting.splice(0)) reject(new ServerError("timeout", "late"));
  await Promise.all(calls);
  expect(live.words()).toMatch(/, a:1 0\+0, b:2 0\+0, 3 failed \(cut 1, timeout 2\)$/);
});
