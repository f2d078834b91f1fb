import { expect, test } from "vitest";
import { ask, serve } from "./ask-server.ts";
import { randomReplies } from "./policies.ts";
import { tinyTokenizer } from "./tokenizer.ts";

const END = tinyTokenizer.eosTokenId;

test("/generate has every field of SGLang's reply", async () => {
  const server = await serve({ policy: randomReplies(["a", "b"]) });
  const { body } = await ask(server, "/generate", {
    input_ids: [104],
    sampling_params: { max_new_tokens: 5, sampling_seed: 1 },
    return_logprob: true,
    top_logprobs_num: 2,
    return_prompt_token_ids: true,
    rid: "mine",
  });
  const [id] = body.output_ids;
  const half = Math.log(1 / 2);
  expect(body).toEqual({
    text: String.fromCharCode(id),
    output_ids: [id, END],
    prompt_token_ids: [104],
    meta_info: {
      id: "mine",
      finish_reason: { type: "stop", matched: END },
      prompt_tokens: 1,
      weight_version: "default",
      num_retractions: 0,
      input_token_logprobs: [],
      output_token_logprobs: [
        [half, id, null],
        [0, END, null],
      ],
      input_top_logprobs: [],
      output_top_logprobs: [
        [
          [half, 97, null],
          [half, 98, null],
        ],
        [
          [0, END, null],
          [-9999, 97, null],
        ],
      ],
      completion_tokens: 2,
      cached_tokens: 0,
      e2e_latency: expect.any(Number),
    },
  });
});

test("without return_logprob there are none, and text may be the prompt", async () => {
  const server = await serve({ policy: () => "abc" });
  const { body } = await ask(server, "/generate", { text: "hi", sampling_params: { max_new_tokens: 2 } });
  expect(body).toMatchObject({
    text: "ab",
    meta_info: { prompt_tokens: 2, finish_reason: { type: "length", length: 2 } },
  });
  expect(body.meta_info).not.toHaveProperty("output_token_logprobs");
});

test("a batch and n above 1 give a list", async () => {
  const server = await serve();
  expect((await ask(server, "/generate", { input_ids: [[1], [2]] })).body).toHaveLength(2);
  expect((await ask(server, "/generate", { input_ids: [1], sampling_params: { n: 3 } })).body).toHaveLength(
    3,
  );
});

test("a stop token is in the ids and the reason, not in the text", async () => {
  const server = await serve({ policy: () => "a\nb" });
  const { body } = await ask(server, "/generate", { text: "hi", sampling_params: { stop_token_ids: [10] } });
  expect(body).toMatchObject({
    text: "a",
    output_ids: [97, 10],
    meta_info: { finish_reason: { matched: 10 } },
  });
});

test("no prompt is refused", async () => {
  expect((await ask(await serve(), "/generate", {})).status).toBe(400);
});

test("new weights have a new version everywhere, and keep the cache until it is flushed", async () => {
  const server = await serve({ policy: ({ weightVersion }) => weightVersion });
  const input_ids = new Array(40).fill(97);
  const reply = async () => (await ask(server, "/generate", { input_ids })).body;
  await reply();
  expect((await ask(server, "/update_weight_version", { new_version: "step-2" })).body).toEqual({
    success: true,
    new_version: "step-2",
  });
  expect(await reply()).toMatchObject({
    text: "step-2",
    meta_info: { weight_version: "step-2", cached_tokens: 32 },
  });
  expect((await ask(server, "/weight_info")).body).toEqual({ weight_version: "step-2" });
  expect((await ask(server, "/get_model_info")).body).toMatchObject({
    weight_version: "step-2",
    model_path: "forkgym/tiny",
  });
  await ask(server, "/flush_cache", {});
  expect((await reply()).meta_info.cached_tokens).toBe(0);
  server.set({ weightVersion: "step-3" });
  expect((await reply()).text).toBe("step-3");
  const bad = await ask(server, "/update_weight_version", { weight_version: "step-4" });
  expect([bad.status, bad.body.error.param]).toEqual([400, "body.new_version"]);
});
