import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { ServerError } from "../../../agents/model-server/errors.ts";
import type { SampleRequest } from "../../../agents/model-server/model-server.ts";
import { LOGPROB_SLACK } from "../../../agents/model-server/reply.ts";
import { answering } from "./answering.ts";
import { KINDS, REQUEST } from "./replies.ts";

/** A server of each kind that answers what `say` was last told. */
async function telling(kind: string) {
  let text = "";
  const { url } = await answering((response) => response.end(text));
  const server = KINDS[kind]!.make({ url, model: "m" });
  onTestFinished(() => server.close());
  return (reply: unknown, request: SampleRequest = REQUEST) => {
    // NaN, Infinity and what JSON has no word for, as Python writes them.
    text = JSON.stringify(reply, (_, value) =>
      Number.isFinite(value) || typeof value !== "number" ? value : `@${value}@`,
    );
    text = text.replaceAll(/"@(.*?)@"/g, "$1");
    server.forgetWeights!();
    return server.sample(request);
  };
}

/** The reply with one place changed; `undefined` takes the place out. */
function changed(reply: unknown, path: string, value: unknown): unknown {
  const copy = structuredClone(reply) as never;
  const keys = path.split(".");
  let at = copy as Record<string, unknown>;
  for (const key of keys.slice(0, -1)) at = at[key] as Record<string, unknown>;
  if (value === undefined) delete at[keys.at(-1)!];
  else at[keys.at(-1)!] = value;
  return copy;
}

const NOT_LOGPROBS = [null, "x", Number.NaN, -Infinity, Infinity, 2 * LOGPROB_SLACK, -9999, -1e9];
const NOT_IDS = [null, -1, 1.5, "11", 2 ** 53];

/** Kind, place, what it must not be, and the field that the message names. */
const TABLE: readonly [string, string, readonly unknown[], string][] = [
  ["vllm", "choices", [undefined, null, [], {}, [1, 2], "x"], "choices"],
  ["vllm", "choices.0", [null, 5, []], "choices[0]"],
  ["vllm", "choices.0.finish_reason", [undefined, null, "eos", "tool_calls", 1], "choices[0].finish_reason"],
  ["vllm", "choices.0.stop_reason", [{}, 1.5], "choices[0].stop_reason"],
  [
    "vllm",
    "choices.0.prompt_token_ids",
    [undefined, [5, 6], [5, 6, 8], [5, 6, 7, 7], []],
    "choices[0].prompt_token_ids",
  ],
  [
    "vllm",
    "choices.0.token_ids",
    [undefined, null, [], "11", [11, 9], [1, 2, 3, 4, 9], [11, 12, 13]],
    "token",
  ],
  ["vllm", "choices.0.token_ids.1", NOT_IDS, "choices[0].token_ids[1]"],
  ["vllm", "choices.0.logprobs", [undefined, null, []], "choices[0].logprobs"],
  [
    "vllm",
    "choices.0.logprobs.token_logprobs",
    [undefined, [], [-1, -1], [-1, -1, -1, -1]],
    "token_logprobs",
  ],
  ["vllm", "choices.0.logprobs.token_logprobs.1", NOT_LOGPROBS, "choices[0].logprobs.token_logprobs[1]"],
  ["vllm", "choices.0.logprobs.tokens.1", ["token_id:13"], "choices[0].logprobs.tokens[1]"],
  ["vllm", "choices.0.logprobs.top_logprobs", [undefined, [{}], null], "top_logprobs"],
  ["vllm", "choices.0.logprobs.top_logprobs.1", [null, [], { a: Number.NaN }, { a: 1 }], "top_logprobs[1]"],
  ["vllm", "choices.0.text", [undefined, null, 5], "choices[0].text"],
  ["vllm", "usage", [undefined, null, []], "usage"],
  ["vllm", "usage.completion_tokens", [4, -1, "3"], "usage.completion_tokens"],
  ["vllm", "usage.prompt_tokens", [4], "usage.prompt_tokens"],
  ["vllm", "usage.prompt_tokens_details.cached_tokens", [-1, "2"], "cached_tokens"],
  ["vllm", "weight_version", [{}, -1], "weight_version"],
  ["vllm-generate", "choices", [undefined, null, [], [1, 2]], "choices"],
  ["vllm-generate", "choices.0.finish_reason", [undefined, null, "x"], "choices[0].finish_reason"],
  ["vllm-generate", "prompt_token_ids", [[5, 6], [5, 6, 8], "567"], "prompt_token_ids"],
  ["vllm-generate", "choices.0.token_ids", [undefined, [], [11, 9], [11, 12, 13]], "token"],
  ["vllm-generate", "choices.0.token_ids.1", NOT_IDS, "choices[0].token_ids[1]"],
  ["vllm-generate", "choices.0.logprobs.content", [undefined, null, []], "choices[0].logprobs.content"],
  ["vllm-generate", "choices.0.logprobs.content.1.logprob", NOT_LOGPROBS, "content[1].logprob"],
  ["vllm-generate", "choices.0.logprobs.content.1.token", ["token_id:13"], "content[1].token"],
  ["vllm-generate", "choices.0.logprobs.content.1.token_id", [13], "content[1].token_id"],
  [
    "vllm-generate",
    "choices.0.logprobs.content.1.top_logprobs",
    [undefined, null],
    "content[1].top_logprobs",
  ],
  ["vllm-generate", "usage.prompt_tokens", [2], "usage.prompt_tokens"],
  ["vllm-generate", "usage.prompt_tokens_details.cached_tokens", [1.5], "cached_tokens"],
  ["vllm-generate", "choices.0.logprobs.content.1.top_logprobs.0.token", ["token_id:2"], "content[1]"],
  ["sglang", "meta_info", [undefined, null, []], "meta_info"],
  ["sglang", "meta_info.finish_reason", [undefined, null, "stop"], "meta_info.finish_reason"],
  ["sglang", "meta_info.finish_reason.type", [undefined, "eos"], "meta_info.finish_reason.type"],
  ["sglang", "meta_info.prompt_tokens", [undefined, 2, 4], "meta_info.prompt_tokens"],
  ["sglang", "meta_info.prompt_token_ids", [[5, 6, 8]], "meta_info.prompt_token_ids"],
  ["sglang", "prompt_token_ids", [[5, 6, 8]], "prompt_token_ids"],
  ["sglang", "output_ids", [undefined, null, [], [11, 9], [11, 12, 13]], "output_"],
  ["sglang", "output_ids.1", NOT_IDS, "output_ids[1]"],
  ["sglang", "output_ids.0", [13], "output_token_logprobs[0][1]"],
  ["sglang", "meta_info.output_token_logprobs", [undefined, [], null], "output_token_logprobs"],
  ["sglang", "meta_info.output_token_logprobs.1", [null, 5, []], "output_token_logprobs[1]"],
  ["sglang", "meta_info.output_token_logprobs.1.0", NOT_LOGPROBS, "output_token_logprobs[1][0]"],
  ["sglang", "meta_info.output_top_logprobs", [undefined, [null, null, null]], "output_top_logprobs"],
  ["sglang", "meta_info.completion_tokens", [2, 4], "completion_tokens"],
  ["sglang", "meta_info.cached_tokens", [-1, 1.5], "cached_tokens"],
  ["sglang", "meta_info.output_top_logprobs.1.0.1", NOT_IDS, "output_top_logprobs[1][0][1]"],
  ["sglang", "meta_info.output_top_logprobs.1.0.1", [2], "output_top_logprobs[1]"],
  ["sglang", "text", [5], "text"],
  ["openai", "choices", [undefined, [], [1, 2]], "choices"],
  ["openai", "choices.0.finish_reason", [undefined, null, "tool_calls"], "finish_reason"],
  ["openai", "choices.0.message", [undefined, null, "go"], "choices[0].message"],
  [
    "openai",
    "choices.0.message.content",
    [undefined, 5, [{}], ["go"], [{ type: "text" }]],
    "choices[0].message.content",
  ],
];

test.each(TABLE)("%s: a `%s` that makes no sense is named", async (kind, path, values, field) => {
  const say = await telling(kind);
  const good = KINDS[kind]!.reply();
  await say(good);
  for (const value of values) {
    const error = (await say(changed(good, path, value)).catch((thrown) => thrown)) as ServerError;
    expect(error, `${path} = ${value}`).toBeInstanceOf(ServerError);
    expect(error).toMatchObject({ fault: "malformed" });
    expect(error.message).toContain(`${kind} m: expected \``);
    expect(error.message, `${path} = ${value}`).toContain(field);
  }
});

test.each(Object.keys(KINDS))("%s: a reply that is no object at all is refused", async (kind) => {
  const say = await telling(kind);
  for (const value of [null, 5, "x", [], [KINDS[kind]!.reply()], {}]) {
    await expect(say(value)).rejects.toMatchObject({ fault: "malformed" });
  }
});

/** Ids that are right but for what stopped them, or for their number: everything else agrees with them. */
function withIds(kind: string, ids: readonly number[]): unknown {
  const text = JSON.stringify(KINDS[kind]!.reply());
  return JSON.parse(
    text
      .replaceAll("[11,12,9]", JSON.stringify(ids))
      .replaceAll("token_id:9", `token_id:${ids[2]}`)
      .replaceAll("-0.25,9", `-0.25,${ids[2]}`),
  );
}

describe.each(["vllm", "vllm-generate", "sglang"])("%s: ids are what counts", (kind) => {
  test("a stop token that was cut off or replaced is missed", async () => {
    const say = await telling(kind);
    expect((await say(withIds(kind, [11, 12, 9]))).tokenIds).toEqual([11, 12, 9]);
    const work = say(withIds(kind, [11, 12, 13]));
    await expect(work).rejects.toThrow(/end in 9, which stopped the reply, got 13 as the last/);
  });

  test("a reply longer than was asked for is refused", async () => {
    const say = await telling(kind);
    await expect(say(KINDS[kind]!.reply(), { ...REQUEST, maxTokens: 2 })).rejects.toThrow(
      /1 to 2 token ids, got 3/,
    );
  });
});

test.each(["vllm", "vllm-generate", "openai"])(
  "%s: another choice beside the one is refused",
  async (kind) => {
    const say = await telling(kind);
    const { choices } = KINDS[kind]!.reply() as { choices: unknown[] };
    const work = say(changed(KINDS[kind]!.reply(), "choices", [choices[0], choices[0]]));
    await expect(work).rejects.toThrow(/`choices` to be a list of one.*got 2/);
  },
);

test("a changed prompt is called that, and the place is told", async () => {
  const say = await telling("vllm");
  const work = say(changed(KINDS.vllm!.reply(), "choices.0.prompt_token_ids", [5, 6, 8]));
  await expect(work).rejects.toThrow(/the server changed the prompt, got 8 instead of 7 at place 2/);
});

test("a log-probability just above 0 is rounding, and counts as 0", async () => {
  const say = await telling("vllm");
  const sample = await say(
    changed(KINDS.vllm!.reply(), "choices.0.logprobs.token_logprobs.1", LOGPROB_SLACK / 2),
  );
  expect(sample.logprobs).toEqual([-0.5, 0, -0.25]);
});

test("a log-probability of a sampled token that the server lost is told in one line", async () => {
  const say = await telling("vllm");
  await expect(
    say(changed(KINDS.vllm!.reply(), "choices.0.logprobs.token_logprobs.1", -9999)),
  ).rejects.toThrow(
    "vllm m: expected `choices[0].logprobs.token_logprobs[1]` to be a log-probability of the token that was sampled, " +
      "above -9999, which servers write for NaN and -Infinity, got -9999",
  );
});

test.each([
  ["vllm", "choices.0.logprobs.top_logprobs.1", { "token_id:1": -0.1, "token_id:2": -9999 }],
  ["vllm-generate", "choices.0.logprobs.content.1.top_logprobs.1.logprob", -9999],
  ["sglang", "meta_info.output_top_logprobs.1.1.0", -9999],
])("%s: an alternative may have none", async (kind, path, value) => {
  const say = await telling(kind);
  const request = { ...REQUEST, topLogprobs: 3 };
  const sample = await say(changed(KINDS[kind]!.reply(), path, value), request);
  expect(sample.topLogprobs![1]).toContain(-9999);
});

test.each([
  ["vllm", "usage.prompt_tokens_details.cached_tokens"],
  ["vllm-generate", "usage.prompt_tokens_details.cached_tokens"],
  ["sglang", "meta_info.cached_tokens"],
  ["openai", "usage.prompt_tokens_details.cached_tokens"],
])("%s: tokens that are counted as cached once more are those of the prompt", async (kind, path) => {
  const say = await telling(kind);
  expect(await say(changed(KINDS[kind]!.reply(), path, 6))).toMatchObject({
    promptTokens: 3,
    cachedTokens: 3,
  });
});

describe("what stands beside a chat server's text may be missing or wrong", () => {
  const scores = "choices.0.logprobs";
  test.each<readonly [string, unknown]>([
    ...[scores, `${scores}.content`].flatMap((path) =>
      [undefined, null, 5].map((bad) => [path, bad] as const),
    ),
    ...NOT_LOGPROBS.map((bad) => [`${scores}.content.1.logprob`, bad] as const),
    [`${scores}.content.1`, null],
    [`${scores}.content.1.top_logprobs`, undefined],
  ])("%s: %s", async (path, value) => {
    const say = await telling("openai");
    const sample = await say(changed(KINDS.openai!.reply(), path, value));
    expect(sample).toMatchObject({ text: "go", promptTokens: 3, generatedTokens: 3 });
    expect(sample).not.toHaveProperty("logprobs");
    expect(sample).not.toHaveProperty("topLogprobs");
  });

  test.each([
    ["usage", undefined, [0, 0, undefined]],
    ["usage", null, [0, 0, undefined]],
    ["usage", [], [0, 0, undefined]],
    ["usage.completion_tokens", 1.5, [3, 0, 2]],
    ["usage.prompt_tokens", undefined, [0, 3, undefined]],
    ["usage.prompt_tokens_details", null, [3, 3, undefined]],
    ["usage.prompt_tokens_details.cached_tokens", -1, [3, 3, undefined]],
  ])("%s: %s", async (path, value, counts) => {
    const say = await telling("openai");
    const { text, logprobs, promptTokens, generatedTokens, cachedTokens } = await say(
      changed(KINDS.openai!.reply(), path, value),
    );
    expect([text, logprobs?.length]).toEqual(["go", 3]);
    expect([promptTokens, generatedTokens, cachedTokens]).toEqual(counts);
  });

  test("a content filter ends a reply, and says so", async () => {
    const say = await telling("openai");
    expect(
      await say(changed(KINDS.openai!.reply(), "choices.0.finish_reason", "content_filter")),
    ).toMatchObject({
      finishReason: "stop",
      stopReason: "content_filter",
    });
  });

  test("a list of parts is the text of those that are text", async () => {
    const say = await telling("openai");
    const parts = [{ type: "thinking", thinking: [] }, { type: "text", text: "Go " }, { text: "up" }];
    expect((await say(changed(KINDS.openai!.reply(), "choices.0.message.content", parts))).text).toBe(
      "Go up",
    );
  });
});

test("a text that was cut at its stop does not matter, ids do", async () => {
  const say = await telling("vllm");
  const sample = await say(changed(KINDS.vllm!.reply(), "choices.0.text", ""));
  expect(sample).toMatchObject({ text: "", tokenIds: [11, 12, 9] });
});

describe("any JSON in any place gives a sample that holds together or a ServerError", () => {
  test.each(Object.keys(KINDS))("%s", async (kind) => {
    const say = await telling(kind);
    const good = KINDS[kind]!.reply();
    const paths = pathsOf(good);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...paths),
        fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.double()),
        async (path, value) => {
          try {
            const {
              tokenIds,
              logprobs = [],
              promptTokenIds,
              generatedTokens,
            } = await say(changed(good, path, value));
            for (const logprob of logprobs) expect(logprob > -9999 && logprob <= 0).toBe(true);
            if (kind === "openai") return;
            expect(promptTokenIds).toEqual([5, 6, 7]);
            expect(tokenIds).toHaveLength(logprobs.length);
            expect(tokenIds).toHaveLength(generatedTokens);
          } catch (error) {
            expect(error).toBeInstanceOf(ServerError);
            expect(["malformed", "aborted-by-server"]).toContain((error as ServerError).fault);
            expect((error as ServerError).message.length).toBeLessThan(400);
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});

function pathsOf(value: unknown, path = ""): string[] {
  if (typeof value !== "object" || value === null) return [path];
  const inner = Object.entries(value).flatMap(([key, field]) =>
    pathsOf(field, path === "" ? key : `${path}.${key}`),
  );
  return path === "" ? inner : [path, ...inner];
}
