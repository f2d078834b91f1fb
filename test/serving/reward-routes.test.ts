import { expect, test } from "vitest";
import { ask, serve } from "./ask-server.ts";
import { tinyTokenizer } from "./tokenizer.ts";

/** Right with 0.75 as long as no "x" has come. */
const reward = (ids: readonly number[], at: number) => (ids.slice(0, at + 1).includes(120) ? 0.2 : 0.75);

test("/pooling gives the probabilities of each step", async () => {
  const server = await serve({ reward });
  const input = tinyTokenizer.encode("one<extra_0>x<extra_0>");
  const { body } = await ask(server, "/pooling", { model: "forkgym/tiny", input });
  expect(body).toMatchObject({
    object: "list",
    data: [
      {
        index: 0,
        object: "pooling",
        data: [
          [0.25, 0.75],
          [0.8, 0.2],
        ],
      },
    ],
    usage: { prompt_tokens: 6, total_tokens: 6 },
  });
});

test("/pooling takes messages and texts, and gives logits if asked", async () => {
  const server = await serve({ reward });
  const messages = [{ role: "assistant", content: "a<extra_0>b<extra_0>" }];
  const { body } = await ask(server, "/pooling", { messages, use_activation: false });
  expect(body.data[0].data).toEqual([
    [0, Math.log(3)],
    [0, Math.log(3)],
  ]);
  expect(
    (await ask(server, "/pooling", { input: ["a<extra_0>", "b"] })).body.data.map(
      (one: { data: [] }) => one.data.length,
    ),
  ).toEqual([1, 0]);
});

test("/v1/embeddings gives one logit for each token", async () => {
  const server = await serve({ reward });
  const { body } = await ask(server, "/v1/embeddings", { input: [[97, 120], [98]] });
  expect(body.data).toEqual([
    { index: 0, object: "embedding", embedding: [Math.log(3), Math.log(0.2 / 0.8)] },
    { index: 1, object: "embedding", embedding: [Math.log(3)] },
  ]);
});

test("rewards by chance depend on the tokens alone", async () => {
  const server = await serve();
  const logits = async (text: string) =>
    (await ask(server, "/v1/embeddings", { input: [tinyTokenizer.encode(text)] })).body.data[0].embedding;
  expect(await logits("abc")).toEqual(await logits("abc"));
  expect(new Set(await logits("aaaa")).size).toBe(4);
});
