import { expect, test } from "vitest";
import type { ModelServer, Sample } from "../../agents/model-server/model-server.ts";
import { Noted } from "../../bench/serving/noted.ts";

const request = {
  maxTokens: 40,
  temperature: 1,
  topP: 1,
  topK: -1,
  seed: 0,
  stopTokenIds: [],
  topLogprobs: 0,
};

/** Answers every prompt with `reply`, and says that so many of its tokens were cached; undefined breaks off. */
function noted(reply: readonly number[], cached: readonly (number | undefined)[]): Noted {
  const left = [...cached];
  const server: ModelServer = {
    name: "fake",
    tokenExact: true,
    async sample({ promptTokenIds }): Promise<Sample> {
      const cachedTokens = left.shift();
      if (cachedTokens === undefined) throw new Error("broken off");
      return {
        tokenIds: reply,
        text: "",
        finishReason: "stop",
        promptTokens: promptTokenIds!.length,
        generatedTokens: reply.length,
        cachedTokens,
        endpoint: "fake",
      };
    },
    close: async () => {},
  };
  return new Noted(server);
}

const tokens = (count: number) => Array.from({ length: count }, (_, at) => at);

test("a prompt that goes on where a reply ended could have had all full blocks before it but its last token", async () => {
  const server = noted(tokens(17), [0, 32]);
  await server.sample({ ...request, promptTokenIds: tokens(32) });
  // 32 of the prompt and 16 of the reply were computed; 48 of 49 tokens are full blocks.
  await server.sample({ ...request, promptTokenIds: [...tokens(32), ...tokens(17)] });
  expect(server.hitShare()).toBeCloseTo(32 / 48);
  expect(server).toMatchObject({ replies: 2, promptTokens: 81, generatedTokens: 34, cachedTokens: 32 });
});

test("the last token of a prompt that was there before is computed again, and its block with it", async () => {
  const server = noted([1], [0, 16]);
  for (let time = 0; time < 2; time++) await server.sample({ ...request, promptTokenIds: tokens(32) });
  expect(server.hitShare()).toBe(1);
});

test("a prompt that was not answered fills the cache, and is not asked how much of it was cached", async () => {
  const server = noted([1], [0, undefined, 16]);
  await server.sample({ ...request, promptTokenIds: tokens(17) });
  await expect(server.sample({ ...request, promptTokenIds: tokens(33) })).rejects.toThrow("broken off");
  await server.sample({ ...request, promptTokenIds: tokens(34) });
  expect(server.hitShare()).toBe(0.5);
});
