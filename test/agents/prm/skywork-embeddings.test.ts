import { describe, expect, test } from "vitest";
import { type PrmBranch, skyworkEmbeddings } from "../../../agents/prm/index.ts";
import { scriptedPost } from "./lab.ts";

const signal = new AbortController().signal;
const NEWLINE = 10;
/** One token a character. */
const encode = (text: string) => [...text].map((char) => char.charCodeAt(0));
/** Each token's logit is its place. */
const places = (from = 0) =>
  scriptedPost(({ body }) => ({
    data: (body.input as number[][]).map((ids, index) => ({
      index,
      embedding: ids.map((_, at) => at - from),
    })),
    usage: { prompt_tokens: 12, prompt_tokens_details: { cached_tokens: 4 } },
  }));
const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));

test("bos, problem and newline, then each step and a newline, whose logit is the step's", async () => {
  const post = places(5);
  const server = skyworkEmbeddings({ post, model: "prm", encode, bos: "^" });
  const branches: PrmBranch[] = [
    { problem: "Q", steps: ["ab", "", "c\nd"] },
    { problem: "R", steps: ["x"] },
  ];
  const reply = await server.score(branches, signal);
  const first = [...encode("^Q\n"), ...encode("ab"), NEWLINE, NEWLINE, ...encode("c\nd"), NEWLINE];
  expect(post.posts).toEqual([
    {
      path: "/v1/embeddings",
      body: {
        model: "prm",
        encoding_format: "float",
        input: [first, [...encode("^R\n"), ...encode("x"), NEWLINE]],
      },
    },
  ]);
  expect(reply).toEqual({
    results: [[sigmoid(0), sigmoid(1), sigmoid(5)], [sigmoid(-1)]],
    promptTokens: 12,
    cachedTokens: 4,
  });
});

test("a tokenizer whose newline is several tokens: the last of them ends a step", async () => {
  const post = places();
  const odd = (text: string) => encode(text.replaceAll("\n", "\r\n"));
  await skyworkEmbeddings({ post, model: "prm", encode: odd, bos: "" }).score(
    [{ problem: "Q", steps: ["a"] }],
    signal,
  );
  expect(post.posts[0]!.body.input).toEqual([[...encode("Q\r\n"), ...encode("a"), NEWLINE]]);
  expect(() => skyworkEmbeddings({ post, model: "prm", encode: () => [], bos: "" })).toThrow(
    "no token for a newline",
  );
});

test("the oldest steps give way to the window, and one that cannot fit is not sent", async () => {
  const post = places();
  const server = skyworkEmbeddings({ post, model: "prm", encode, bos: "", maxTokens: 8 });
  const { results } = await server.score(
    [
      { problem: "Q", steps: ["far too long a step"] },
      { problem: "Q", steps: ["aaaa", "bb", "cc"] },
      { problem: "a problem that is too long", steps: ["a"] },
    ],
    signal,
  );
  expect(post.posts[0]!.body.input).toEqual([encode("Q\nbb\ncc\n")]);
  expect(results).toEqual([
    { unreadable: expect.stringContaining("over 8 tokens") },
    [sigmoid(4), sigmoid(7)],
    { unreadable: expect.stringContaining("over 8 tokens") },
  ]);
  expect(await server.score([{ problem: "Q", steps: ["far too long a step"] }], signal)).toMatchObject({
    promptTokens: 0,
  });
  expect(post.posts).toHaveLength(1);
});

test("one token over the window is too many", async () => {
  const post = places();
  const branches = [{ problem: "Q", steps: ["bb", "cc"] }];
  for (const maxTokens of [8, 7]) {
    await skyworkEmbeddings({ post, model: "prm", encode, bos: "", maxTokens }).score(branches, signal);
  }
  expect(post.posts.map(({ body }) => body.input)).toEqual([[encode("Q\nbb\ncc\n")], [encode("Q\ncc\n")]]);
});

describe("a reply that does not fit is no score", () => {
  const ids = encode("Q\na\n");
  test.each([
    ["a pooled vector of another length", [0.1, 0.2]],
    ["a vector that is longer", [...ids, 0.5]],
    ["no number at the step's end", [...ids.slice(1), null]],
    ["NaN at the step's end", [...ids.slice(1), Number.NaN]],
    ["base64", "AAAA"],
    ["nothing", undefined],
  ])("%s", async (_, embedding) => {
    const post = scriptedPost(() => ({ data: [{ index: 0, embedding }] }));
    const { results } = await skyworkEmbeddings({ post, model: "prm", encode, bos: "" }).score(
      [{ problem: "Q", steps: ["a"] }],
      signal,
    );
    expect(results).toEqual([{ unreadable: expect.stringMatching(/^\/v1\/embeddings: /) }]);
  });
});
