import { describe, expect, onTestFinished, test } from "vitest";
import type { ModelServer, SampleRequest } from "../../../agents/model-server/model-server.ts";
import { openaiServer } from "../../../agents/model-server/openai.ts";
import type { ServerOptions } from "../../../agents/model-server/sampled.ts";
import { InputError } from "../../../core/errors.ts";
import type { JsonObject } from "../../../core/json.ts";
import { startModelServer, tinyTokenizer } from "../../serving/index.ts";
import { answering, json } from "./answering.ts";
import { KINDS, REQUEST } from "./replies.ts";

const kinds = Object.entries(KINDS);

async function serving(kind: string, reply: unknown, options: Partial<ServerOptions> = {}) {
  const { url, asked } = await answering(json(reply));
  const server: ModelServer = KINDS[kind]!.make({ url, model: "m", ...options });
  onTestFinished(() => server.close());
  return { server, url, asked };
}

describe.each(kinds)("%s", (kind, { path, reply }) => {
  test("a good reply becomes a sample", async () => {
    const { server, url, asked } = await serving(kind, reply());
    const sample = await server.sample(REQUEST);
    expect(sample).toEqual({
      ...(server.tokenExact && { promptTokenIds: [5, 6, 7], tokenIds: [11, 12, 9] }),
      logprobs: [-0.5, -1, -0.25],
      topLogprobs: [
        [-0.1, -0.5],
        [-0.1, -1],
        [-0.1, -0.25],
      ],
      // A chat server gives texts, of which one may be several tokens.
      ...(server.tokenExact && {
        topTokenIds: [
          [1, 3],
          [1, 3],
          [1, 3],
        ],
      }),
      text: kind === "vllm-generate" ? "" : "go",
      finishReason: "stop",
      stopReason: 9,
      promptTokens: 3,
      generatedTokens: 3,
      cachedTokens: 2,
      weightVersion: "4",
      endpoint: url,
    });
    expect(asked.map((one) => one.path)).toEqual([path]);
    expect(server.name).toBe(`${kind} m`);
  });

  test("what a server need not say is absent", async () => {
    const bare = structuredClone(reply()) as Record<string, never>;
    for (const key of ["weight_version", "prompt_token_ids"]) delete bare[key];
    const { choices, meta_info: meta, usage } = bare as Record<string, Record<string, unknown>>;
    delete usage?.prompt_tokens_details;
    for (const place of [meta, (choices as never as Record<string, unknown>[] | undefined)?.[0]]) {
      for (const key of ["stop_reason", "cached_tokens", "weight_version"]) delete place?.[key];
      if (place?.finish_reason instanceof Object) place.finish_reason = { type: "length" };
    }
    const { server } = await serving(kind, bare);
    const sample = await server.sample({ ...REQUEST, topLogprobs: 0 });
    for (const key of ["topLogprobs", "topTokenIds", "stopReason", "cachedTokens", "weightVersion"]) {
      expect(sample).not.toHaveProperty(key);
    }
  });

  test("who changes the weights can say which they are, where replies do not", async () => {
    const versions = ["7", "7", "7", "8"];
    const said = JSON.parse(
      JSON.stringify(reply(), (key, value) => (key === "weight_version" ? undefined : value)),
    );
    const { server } = await serving(kind, said, { weightVersion: () => versions.shift() });
    expect(await server.sample(REQUEST)).toMatchObject({ weightVersion: "7" });
    expect(await server.sample(REQUEST)).toMatchObject({ weightVersion: "7..8" });
    expect(await server.sample(REQUEST)).not.toHaveProperty("weightVersion");
  });

  test("a reply of other weights than its server should have is stale", async () => {
    const asked = async (weightVersion: string) =>
      (await serving(kind, reply(), { weightVersion: () => weightVersion })).server.sample(REQUEST);
    for (const version of ["5", "10", "step 4"]) {
      await expect(asked(version)).rejects.toMatchObject({
        fault: "stale-weights",
        message: `${kind} m: sampled with weights \`4\`, \`weightVersion\` says \`${version}\``,
      });
    }
    for (const version of ["4", "3"]) expect(await asked(version)).toMatchObject({ weightVersion: "4" });
  });

  test("a reply of older weights than its server has shown before is stale, until that is forgotten", async () => {
    let version = "9";
    const { url } = await answering((response) => {
      const text = JSON.stringify(reply(), (key, value) => (key === "weight_version" ? version : value));
      response.end(text);
    });
    const server = KINDS[kind]!.make({ url, model: "m" });
    onTestFinished(() => server.close());
    expect(await server.sample(REQUEST)).toMatchObject({ weightVersion: "9" });
    version = "10";
    expect(await server.sample(REQUEST)).toMatchObject({ weightVersion: "10" });
    for (version of ["9", "8"]) {
      await expect(server.sample(REQUEST)).rejects.toMatchObject({ fault: "stale-weights" });
    }
    server.forgetWeights!();
    expect(await server.sample(REQUEST)).toMatchObject({ weightVersion: "8" });
  });

  test("it says where it is, and whether it is well", async () => {
    const server = await startModelServer({ policy: () => "a" });
    onTestFinished(() => server.close());
    const adapter = KINDS[kind]!.make({ url: `${server.url}/v1/`, model: "m", apiKey: "secret" });
    onTestFinished(() => adapter.close());
    expect(adapter).toMatchObject({ provider: kind, model: "m", url: server.url });
    await adapter.health!();
    if (kind !== "openai") {
      server.set({ healthy: false });
      await expect(adapter.health!()).rejects.toMatchObject({ fault: "overloaded", status: 503 });
    }
    await server.close();
    await expect(adapter.health!()).rejects.toMatchObject({ fault: "unreachable" });
  });

  test("an abort by the server is not a reply", async () => {
    const text = JSON.stringify(reply()).replace('"finish_reason":"stop"', '"finish_reason":"abort"');
    const { server } = await serving(kind, JSON.parse(text.replace('"type":"stop"', '"type":"abort"')));
    await expect(server.sample(REQUEST)).rejects.toMatchObject({ fault: "aborted-by-server" });
  });

  test("an abort closes the connection", async () => {
    const { url, asked } = await answering(() => {});
    const server = KINDS[kind]!.make({ url, model: "m" });
    onTestFinished(() => server.close());
    const controller = new AbortController();
    const work = server.sample(REQUEST, controller.signal);
    work.catch(() => {});
    await expect.poll(() => asked.length).toBe(1);
    controller.abort("gone");
    await expect(work).rejects.toBe("gone");
    await asked[0]!.closed;
  });

  test.each<[keyof SampleRequest, unknown]>([
    ["maxTokens", 0],
    ["maxTokens", 1.5],
    ["temperature", -1],
    ["temperature", Number.NaN],
    ["topP", 0],
    ["topP", 1.1],
    ["topK", 0],
    ["seed", 2 ** 31],
    ["seed", -1],
    ["topLogprobs", -1],
    ["stopTokenIds", [1.5]],
    [kind === "openai" ? "messages" : "promptTokenIds", []],
    [kind === "openai" ? "messages" : "promptTokenIds", undefined],
  ])("a request with %s %j is refused before it is sent", async (name, value) => {
    const { server, asked } = await serving(kind, reply());
    const work = server.sample({ ...REQUEST, [name]: value } as SampleRequest);
    await expect(work).rejects.toThrow(InputError);
    await expect(work).rejects.toThrow(name);
    expect(asked).toEqual([]);
  });

  test("fields of one's own go into the body, if the adapter does not set them", async () => {
    const { server, asked } = await serving(kind, reply(), { extra: { cache_salt: "2" } });
    await server.sample(REQUEST);
    expect(asked[0]!.body).toMatchObject({ cache_salt: "2" });
  });

  test.each<[string, JsonObject]>([
    ["stream", { stream: true }],
    ["temperature", { temperature: 2 }],
    ["temperature", { sampling_params: { temperature: 2 } }],
    ["stop_token_ids", { stop_token_ids: [] }],
    ["sampling_params", { sampling_params: 5 }],
  ])("but not `%s`, which says what is asked for: %j", async (name, extra) => {
    const { server, asked } = await serving(kind, reply(), { extra });
    await expect(server.sample(REQUEST)).rejects.toThrow(`\`extra.${name}\``);
    expect(asked).toEqual([]);
  });

  test("fields of sampling go to where the route has its own", async () => {
    const sampling = {
      min_p: 0.05,
      repetition_penalty: 1.1,
      stop: ["</act>"],
      ignore_eos: true,
      regex: "a+",
    };
    const { server, asked } = await serving(kind, reply(), {
      extra: { ...sampling, priority: 1, sampling_params: { made_up: 3 } },
    });
    await server.sample(REQUEST);
    const { sampling_params: nested, ...body } = asked[0]!.body as JsonObject;
    expect(body).toMatchObject({ priority: 1 });
    const isNested = kind === "sglang" || kind === "vllm-generate";
    const at = (isNested ? nested : body) as JsonObject;
    expect(at).toMatchObject({ ...sampling, made_up: 3, temperature: 1, n: 1 });
    if (isNested) for (const name of Object.keys(sampling)) expect(body).not.toHaveProperty(name);
    else expect(nested).toBeUndefined();
  });
});

test("a reply that ended at a stop text keeps its ids", async () => {
  const tests = await startModelServer({ policy: () => "up</act> and on" });
  onTestFinished(() => tests.close());
  for (const kind of ["vllm", "vllm-generate", "sglang"]) {
    const server = KINDS[kind]!.make({ url: tests.url, model: "forkgym/tiny", extra: { stop: ["</act>"] } });
    onTestFinished(() => server.close());
    const { tokenIds, text, finishReason } = await server.sample({ ...REQUEST, maxTokens: 99 });
    expect(tinyTokenizer.decode([...tokenIds!])).toBe("up</act>");
    expect([finishReason, text]).toEqual(["stop", kind === "vllm-generate" ? "" : "up"]);
  }
});

describe("what is sent", () => {
  const sampling = {
    n: 1,
    temperature: 1,
    top_p: 0.9,
    top_k: -1,
    repetition_penalty: 1,
    presence_penalty: 0,
    frequency_penalty: 0,
    stop_token_ids: [9],
  };
  const vllm = { ...sampling, max_tokens: 4, seed: 2 ** 31 - 1, min_p: 0, min_tokens: 0, ignore_eos: false };

  test.each<[string, object]>([
    [
      "vllm",
      {
        ...vllm,
        model: "m",
        prompt: [5, 6, 7],
        logprobs: 2,
        return_token_ids: true,
        return_tokens_as_token_ids: true,
        stream: false,
        echo: false,
      },
    ],
    [
      "vllm-generate",
      {
        model: "m",
        token_ids: [5, 6, 7],
        stream: false,
        sampling_params: { ...vllm, logprobs: 2 },
        return_token_ids: true,
      },
    ],
    [
      "sglang",
      {
        input_ids: [5, 6, 7],
        sampling_params: {
          ...sampling,
          max_new_tokens: 4,
          sampling_seed: 2 ** 31 - 1,
          min_p: 0,
          ignore_eos: false,
        },
        return_logprob: true,
        logprob_start_len: -1,
        top_logprobs_num: 2,
        stream: false,
      },
    ],
    [
      "openai",
      {
        ...sampling,
        model: "m",
        messages: [{ role: "user", content: "Where?" }],
        max_tokens: 4,
        seed: 2 ** 31 - 1,
        logprobs: true,
        top_logprobs: 2,
        stream: false,
      },
    ],
  ])("%s: everything, nothing is left to the server", async (kind, body) => {
    const { server, asked } = await serving(kind, KINDS[kind]!.reply());
    await server.sample(REQUEST);
    expect(asked[0]!.body).toMatchObject(body);
  });

  test("sglang's router is told which requests belong together", async () => {
    const { server, asked } = await serving("sglang", KINDS.sglang!.reply());
    for (const affinity of ["a\n", "a\n", "b"]) await server.sample({ ...REQUEST, affinity });
    const keys = asked.map(({ headers }) => headers["x-smg-routing-key"]);
    expect(keys[0]).toBe(keys[1]);
    expect(keys[0]).not.toBe(keys[2]);
  });

  test("fields that a chat server refuses can be left out, but not those that it needs", async () => {
    const { url, asked } = await answering(json(KINDS.openai!.reply()));
    const omit = ["top_k", "repetition_penalty", "stop_token_ids", "n"];
    const server = openaiServer({ url, model: "m", omit });
    onTestFinished(() => server.close());
    await server.sample(REQUEST);
    for (const field of omit) expect(asked[0]!.body).not.toHaveProperty(field);
    expect(() => openaiServer({ url, model: "m", omit: ["messages"] })).toThrow(InputError);
  });

  test.each([
    [{}, "max_tokens"],
    [{ maxTokensField: "max_completion_tokens" }, "max_completion_tokens"],
    [{ omit: ["max_tokens", "top_k"] }, "max_completion_tokens"],
  ] as const)("a chat reply always has a bound: %j", async (options, field) => {
    const { url, asked } = await answering(json(KINDS.openai!.reply()));
    const server = openaiServer({ url, model: "m", ...options });
    onTestFinished(() => server.close());
    await server.sample(REQUEST);
    const bounds = Object.entries(asked[0]!.body as object).filter(([name]) => name.startsWith("max_"));
    expect(bounds).toEqual([[field, 4]]);
  });

  test("a chat reply without any bound is refused", () => {
    const url = "http://127.0.0.1:1";
    const both = ["max_tokens", "max_completion_tokens"];
    expect(() => openaiServer({ url, model: "m", omit: both })).toThrow(
      /cannot leave out max_completion_tokens/,
    );
    expect(() => openaiServer({ url, model: "m", maxTokensField: "n" as never })).toThrow(/`maxTokensField`/);
  });
});

test("a chat server without log-probabilities, or with nothing but thinking, is fine", async () => {
  const { server } = await serving("openai", {
    choices: [{ message: { content: null, reasoning: "hm" }, finish_reason: "length", logprobs: null }],
    usage: { prompt_tokens: 3, completion_tokens: 4 },
  });
  expect(await server.sample(REQUEST)).toMatchObject({
    text: "",
    finishReason: "length",
    generatedTokens: 4,
  });
  expect(await server.sample(REQUEST)).not.toHaveProperty("logprobs");
});
