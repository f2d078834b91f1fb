import { describe, expect, test } from "vitest";
import { ask, serve } from "./ask-server.ts";
import { randomReplies } from "./policies.ts";
import { tinyTokenizer } from "./tokenizer.ts";

const END = tinyTokenizer.eosTokenId;
const half = Math.log(1 / 2);
const twoMoves = randomReplies(["aa", "ab"]);

describe("POST /v1/completions", () => {
  const path = "/v1/completions";

  test("has every field of vLLM's reply", async () => {
    const server = await serve({ policy: twoMoves });
    const body = {
      model: "forkgym/tiny",
      prompt: [104, 105],
      seed: 1,
      max_tokens: 8,
      logprobs: 2,
      return_token_ids: true,
    };
    const { body: reply } = await ask(server, path, body);
    const [, last] = reply.choices[0].token_ids;
    const other = last === 97 ? "b" : "a";
    const name = String.fromCharCode(last);
    expect(reply).toEqual({
      id: "cmpl-00000000000000000000000000000000",
      object: "text_completion",
      created: 0,
      model: "forkgym/tiny",
      choices: [
        {
          index: 0,
          text: `a${name}`,
          logprobs: {
            text_offset: [0, 1, 2],
            token_logprobs: [0, half, 0],
            tokens: ["a", name, "<|im_end|>"],
            top_logprobs: [
              { a: 0, b: -9999 },
              { [name]: half, [other]: half },
              { "<|im_end|>": 0, a: -9999 },
            ],
          },
          finish_reason: "stop",
          stop_reason: null,
          token_ids: [97, last, END],
          prompt_logprobs: null,
          prompt_token_ids: [104, 105],
        },
      ],
      service_tier: null,
      system_fingerprint: null,
      usage: {
        prompt_tokens: 2,
        total_tokens: 5,
        completion_tokens: 3,
        prompt_tokens_details: { cached_tokens: 0 },
      },
      kv_transfer_params: null,
    });
  });

  test("leaves out what is not asked for", async () => {
    const server = await serve({ tellCached: false });
    const { body } = await ask(server, path, { prompt: "hi" });
    expect(body.choices[0]).toMatchObject({
      text: "ok",
      logprobs: null,
      token_ids: null,
      prompt_token_ids: null,
    });
    expect(body.usage.prompt_tokens_details).toBeNull();
  });

  test("names tokens by id if asked, and with logprobs 0 tells of the sampled one only", async () => {
    const server = await serve();
    const body = { prompt: "hi", logprobs: 0, return_tokens_as_token_ids: true };
    const { logprobs } = (await ask(server, path, body)).body.choices[0];
    expect(logprobs.tokens).toEqual(["token_id:111", "token_id:107", `token_id:${END}`]);
    expect(logprobs.top_logprobs[0]).toEqual({ "token_id:111": 0 });
  });

  test("choice i of a request with seed s is that of seed s + i", async () => {
    const server = await serve({ policy: randomReplies([..."abcdefghij"]) });
    const texts = async (seed: number, n: number) =>
      (await ask(server, path, { prompt: "hi", seed, n })).body.choices.map(
        ({ text }: { text: string }) => text,
      );
    const [five] = [await texts(40, 5)];
    expect(five).toEqual((await Promise.all([40, 41, 42, 43, 44].map((seed) => texts(seed, 1)))).flat());
    expect(new Set(await texts(0, 50)).size).toBe(10);
  });

  test("several prompts give their choices in order", async () => {
    const server = await serve({ policy: ({ promptTokenIds }) => tinyTokenizer.decode(promptTokenIds) });
    const { body } = await ask(server, path, { prompt: [[97], [98]], n: 2 });
    expect(body.choices.map(({ index, text }: { index: number; text: string }) => `${index}${text}`)).toEqual(
      ["0a", "1a", "2b", "3b"],
    );
  });

  test("16 tokens are the most unless max_tokens says more", async () => {
    const server = await serve({ policy: () => "x".repeat(100) });
    const { body } = await ask(server, path, { prompt: "hi" });
    expect(body.choices[0]).toMatchObject({ text: "x".repeat(16), finish_reason: "length" });
  });

  test("cached tokens grow as the conversation does", async () => {
    const server = await serve();
    const cached = async (length: number) =>
      (await ask(server, path, { prompt: new Array(length).fill(97) })).body.usage.prompt_tokens_details
        .cached_tokens;
    expect([await cached(40), await cached(40), await cached(60), await cached(60)]).toEqual([0, 32, 32, 48]);
    expect(server.stats()).toMatchObject({ promptTokens: 200, cachedTokens: 112, computedTokens: 88 });
  });

  test.each([
    [{ prompt: [] }, "prompt"],
    [{ prompt: [1, 260] }, "prompt"],
    [{ prompt: "a", max_tokens: 0 }, "max_tokens"],
    [{ prompt: "a", max_tokens: 32_768 }, "max_tokens"],
    [{ prompt: "a", temperature: -1 }, "temperature"],
    [{ prompt: "a", seed: "1" }, "seed"],
    [{ prompt: "a", logprobs: 21 }, "logprobs"],
    [{ prompt: "a", stream: true }, "stream"],
    [{ prompt: "a", stop_token_ids: ["1"] }, "stop_token_ids"],
    [[1], "body"],
  ])("refuses %j as vLLM does", async (body, param) => {
    const reply = await ask(await serve(), path, body);
    expect(reply.status).toBe(400);
    expect(reply.body.error).toMatchObject({ type: "BadRequestError", param, code: 400 });
  });

  test("knows no other model", async () => {
    const { status, body } = await ask(await serve(), path, { model: "other", prompt: "a" });
    expect([status, body.error.type]).toEqual([404, "NotFoundError"]);
  });
});

describe("POST /v1/chat/completions", () => {
  const path = "/v1/chat/completions";
  const messages = [{ role: "user", content: "hi" }];
  const prompt = tinyTokenizer.encode("<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n");

  test("has every field of vLLM's reply", async () => {
    const server = await serve({ policy: ({ messages: [first] }) => first!.content.slice(0, 1) });
    const body = { messages, logprobs: true, top_logprobs: 1, return_token_ids: true };
    const { body: reply } = await ask(server, path, body);
    const h = { token: "h", logprob: 0, bytes: [104] };
    const end = { token: "<|im_end|>", logprob: 0, bytes: [...Buffer.from("<|im_end|>")] };
    expect(reply).toEqual({
      id: "chatcmpl-00000000000000000000000000000000",
      object: "chat.completion",
      created: 0,
      model: "forkgym/tiny",
      choices: [
        {
          index: 0,
          message: {
            role: "assistant",
            content: "h",
            refusal: null,
            annotations: null,
            audio: null,
            function_call: null,
            tool_calls: [],
            reasoning: null,
          },
          logprobs: {
            content: [
              { ...h, top_logprobs: [h] },
              { ...end, top_logprobs: [end] },
            ],
          },
          finish_reason: "stop",
          stop_reason: null,
          token_ids: [104, END],
        },
      ],
      service_tier: null,
      system_fingerprint: null,
      usage: {
        prompt_tokens: prompt.length,
        total_tokens: prompt.length + 2,
        completion_tokens: 2,
        prompt_tokens_details: { cached_tokens: 0 },
      },
      prompt_logprobs: null,
      prompt_token_ids: prompt,
      kv_transfer_params: null,
    });
  });

  test("without max_tokens a reply may fill the context", async () => {
    const server = await serve({ policy: () => "x".repeat(5000) });
    const { body } = await ask(server, path, { messages });
    expect(body.choices[0].finish_reason).toBe("stop");
    const short = await ask(server, path, { messages, max_completion_tokens: 3 });
    expect(short.body.choices[0].message.content).toBe("xxx");
  });

  test("samples what the same prompt in ids samples", async () => {
    const server = await serve({ policy: randomReplies([..."abcdefghij"]) });
    for (let seed = 0; seed < 5; seed++) {
      const chat = await ask(server, path, { messages, seed });
      const ids = await ask(server, "/v1/completions", { prompt, seed });
      expect(chat.body.choices[0].message.content).toBe(ids.body.choices[0].text);
    }
  });

  test("content in parts is one text; without messages it refuses", async () => {
    const server = await serve({ policy: (turn) => turn.messages[0]!.content });
    const parts = [
      {
        role: "user",
        content: [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      },
    ];
    expect((await ask(server, path, { messages: parts })).body.choices[0].message.content).toBe("ab");
    expect((await ask(server, path, { messages: [] })).status).toBe(400);
    expect((await ask(server, path, { messages, top_logprobs: 1 })).body.error.param).toBe("top_logprobs");
  });
});

describe("POST /inference/v1/generate", () => {
  const path = "/inference/v1/generate";

  test("has ids and their log-probabilities, and no text", async () => {
    const server = await serve({ policy: twoMoves });
    const sampling_params = { max_tokens: 2, logprobs: 1, seed: 3 };
    const { body } = await ask(server, path, {
      request_id: "mine",
      token_ids: [104],
      sampling_params,
      return_token_ids: true,
    });
    const [, last] = body.choices[0].token_ids;
    const entry = (id: number, logprob: number) => ({
      token: `token_id:${id}`,
      logprob,
      bytes: [...Buffer.from(`token_id:${id}`)],
    });
    expect(body).toEqual({
      request_id: "mine",
      choices: [
        {
          index: 0,
          logprobs: {
            content: [
              { token_id: 97, ...entry(97, 0), rank: 1, top_logprobs: [entry(97, 0)] },
              {
                token_id: last,
                ...entry(last, half),
                rank: last === 97 ? 1 : 2,
                top_logprobs: [entry(97, half)],
              },
            ],
          },
          finish_reason: "length",
          token_ids: [97, last],
        },
      ],
      prompt_logprobs: null,
      kv_transfer_params: null,
      prompt_token_ids: [104],
      usage: {
        prompt_tokens: 1,
        total_tokens: 3,
        completion_tokens: 2,
        prompt_tokens_details: { cached_tokens: 0 },
      },
    });
  });

  test("siblings are lost unless only the final output is asked for", async () => {
    const server = await serve();
    const count = async (sampling_params: object) =>
      (await ask(server, path, { token_ids: [104], sampling_params })).body.choices.length;
    expect([await count({ n: 3 }), await count({ n: 3, output_kind: 2 })]).toEqual([1, 3]);
  });
});

test("/tokenize and /detokenize go to ids and back", async () => {
  const server = await serve();
  const messages = [{ role: "user", content: "hé" }];
  const text = "<|im_start|>user\nhé<|im_end|>\n<|im_start|>assistant\n";
  const { body } = await ask(server, "/tokenize", { messages });
  expect(body).toEqual({
    count: 22,
    max_model_len: 32_768,
    tokens: tinyTokenizer.encode(text),
    token_strs: null,
  });
  expect((await ask(server, "/detokenize", { tokens: body.tokens })).body).toEqual({ prompt: text });
  const plain = await ask(server, "/tokenize", { prompt: "hi", return_token_strs: true });
  expect(plain.body.token_strs).toEqual(["h", "i"]);
  const closed = await ask(server, "/tokenize", { messages, add_generation_prompt: false });
  expect(closed.body.count).toBe(11);
});
