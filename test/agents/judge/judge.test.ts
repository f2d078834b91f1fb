import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  byLambda,
  decodedTokens,
  type JudgeOptions,
  judgeScorer,
  type ScoreFailure,
} from "../../../agents/judge/index.ts";
import { ServerError, type ServerFault } from "../../../agents/model-server/errors.ts";
import type { ModelServer } from "../../../agents/model-server/model-server.ts";
import { mix, type ScoreReport, type Scorer } from "../../../core/scorer.ts";
import {
  branchOf,
  inputOf,
  rated,
  sampleOf,
  scriptedServer,
  TASK,
  transcriptOf,
  type WordInput,
} from "./lab.ts";

type Options = JudgeOptions<{ issue: string }, string, string>;

const judgeOf = (server: ModelServer, more: Partial<Options> = {}) =>
  judgeScorer<{ issue: string }, string, string>({ server, transcript: transcriptOf, ...more });
const saying = (text: string) => scriptedServer(() => sampleOf(text));
const node = branchOf([["ls", "a.py"]]);
const input = inputOf(node);

test("three ratings become their mean over the scale", async () => {
  const judge = judgeOf(saying(rated(9, 6, 0)));
  expect(await judge.score(input)).toBeCloseTo(15 / 27);
  expect(judge.name).toBe("judge(fake model)");
});

test("weights and scale are the caller's", async () => {
  const judge = judgeOf(saying(rated(10, 4, 2)), { scale: 10, weights: { diagnosis: 0, verification: 3 } });
  expect(await judge.score(input)).toBeCloseTo((1 * 0.4 + 3 * 0.2) / 4);
});

test("a request leaves nothing to the server, and its seed depends on the branch alone", async () => {
  const server = saying(rated(1, 1, 1));
  const fresh = () => judgeOf(server, { cache: 0 });
  await fresh().score(input);
  await fresh().score(inputOf(branchOf([["ls", "a.py"]])));
  await fresh().score(inputOf(branchOf([["ls", "b.py"]])));
  const [first, same, other] = server.requests;
  expect(first).toMatchObject({
    maxTokens: 300,
    temperature: 0,
    topP: 1,
    topK: -1,
    topLogprobs: 0,
    affinity: "t",
    tree: expect.stringMatching(/^t#\d+$/),
  });
  expect(first!.messages!.map(({ role }) => role)).toEqual(["system", "user"]);
  expect(first!.promptTokenIds).toBeUndefined();
  expect(same!.seed).toBe(first!.seed);
  expect(other!.seed).not.toBe(first!.seed);
  for (const { seed } of server.requests)
    expect(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 31).toBe(true);
});

test("a token-exact server gets what the renderer makes", async () => {
  const server = scriptedServer(() => sampleOf(rated(1, 1, 1)), true);
  await judgeOf(server, { render: async (messages) => [messages.length, 7], stopTokenIds: [3] }).score(input);
  expect(server.requests[0]).toMatchObject({ promptTokenIds: [2, 7], stopTokenIds: [3] });
  expect(server.requests[0]!.messages).toBeUndefined();
  expect(() => judgeOf(server)).toThrow("judgeScorer: fake model takes tokens; pass `render`");
});

describe("replies that are tokens and no text", () => {
  const said = rated(9, 6, 0);
  const server = () => scriptedServer(() => sampleOf("", { tokenIds: [1, 2, 3] }), true);
  const chat = {
    start: [7],
    opening(messages: readonly unknown[]) {
      return Promise.resolve([...this.start, messages.length]);
    },
    textOf(ids: readonly number[]) {
      return Promise.resolve(ids.length === 3 && this.start.length === 1 ? said : "");
    },
  };

  test("are read by `decode`", async () => {
    const decode = async (ids: readonly number[]) => (ids.join() === "1,2,3" ? said : "");
    expect(await judgeOf(server(), { render: () => [7], decode }).score(input)).toBeCloseTo(15 / 27);
  });

  test("are read by the chat that rendered the question", async () => {
    const asked = server();
    expect(await judgeOf(asked, { render: chat }).score(input)).toBeCloseTo(15 / 27);
    expect(asked.requests[0]!.promptTokenIds).toEqual([7, 2]);
  });

  test("of one token are unreadable: it ends the reply", async () => {
    const judge = judgeOf(
      scriptedServer(() => sampleOf("", { tokenIds: [3] }), true),
      { render: () => [7] },
    );
    expect(await judge.score(input)).toBeUndefined();
    expect(judge.usage().faults).toEqual({ unreadable: 1 });
  });

  test("and nothing to read them by are an error that says what to pass", async () => {
    const judge = judgeOf(server(), { render: () => [7] });
    await expect(judge.score(input)).rejects.toThrow(
      "judgeScorer: fake model gives tokens and no text; pass `decode`, or a chat template as `render`",
    );
    expect(judge.usage()).toMatchObject({ calls: 1, failures: 1, promptTokens: 100 });
  });

  test("a chat whose server is away is a missing score", async () => {
    const opening = () => Promise.reject(new ServerError("unreachable", "gone"));
    const judge = judgeOf(server(), { render: { ...chat, opening } });
    expect(await judge.score(input)).toBeUndefined();
    expect(judge.usage()).toMatchObject({ calls: 0, failures: 1, faults: { unreachable: 1 } });
  });
});

describe("a failure is a missing score, never a zero", () => {
  const faults: readonly ServerFault[] = [
    "unreachable",
    "timeout",
    "overloaded",
    "server-error",
    "cut",
    "malformed",
  ];
  test.each(faults)("the server's %s", async (fault) => {
    const failures: ScoreFailure[] = [];
    const server = scriptedServer(() => {
      throw new ServerError(fault, "no luck");
    });
    const judge = judgeOf(server, { onFailure: (failure) => failures.push(failure) });
    expect(await judge.score(input)).toBeUndefined();
    expect(judge.usage()).toMatchObject({ calls: 1, failures: 1, faults: { [fault]: 1 }, promptTokens: 0 });
    expect(failures).toEqual([{ fault, message: "no luck" }]);
  });

  test.each([
    ["no ratings", sampleOf("I cannot say.")],
    ["one stage without a rating", sampleOf("diagnosis: 7\nediting: 4")],
    ["a rating over the scale", sampleOf(rated(7, 10, 0))],
    ["a reply cut in its last line", sampleOf(rated(7, 4, 1), { finishReason: "length" })],
    ["an aborted reply", sampleOf(rated(7, 4, 1), { finishReason: "abort" })],
    ["thoughts without an end", sampleOf(`<think>${rated(7, 4, 1)}`)],
    ["ratings in the thoughts alone", sampleOf(`<think>${rated(7, 4, 1)}</think>Well.`)],
    ["an empty reply", sampleOf("")],
  ])("%s", async (_, sample) => {
    const judge = judgeOf(scriptedServer(() => sample));
    expect(await judge.score(input)).toBeUndefined();
    expect(judge.usage()).toMatchObject({ failures: 1, faults: { unreadable: 1 }, promptTokens: 100 });
  });

  test("an exception of any kind", async () => {
    const judge = judgeOf(scriptedServer(() => Promise.reject(new TypeError("bug"))));
    expect(await judge.score(input)).toBeUndefined();
    expect(judge.usage().faults).toEqual({ other: 1 });
  });

  test("whatever a server says", async () => {
    const reply = fc.oneof(
      fc.string(),
      fc.tuple(fc.string(), fc.string(), fc.string()).map((three) => rated(...three)),
    );
    await fc.assert(
      fc.asyncProperty(
        reply,
        fc.constantFrom("stop" as const, "length" as const),
        async (text, finishReason) => {
          const judge = judgeOf(scriptedServer(() => sampleOf(text, { finishReason })));
          const score = await judge.score(input);
          if (score === undefined) expect(judge.usage().failures).toBe(1);
          else expect(score >= 0 && score <= 1).toBe(true);
        },
      ),
    );
  });
});

test("what comes after the ratings of a reply cut by its length does no harm", async () => {
  const judge = judgeOf(
    scriptedServer(() => sampleOf(`${rated(9, 9, 9)}\nI add th`, { finishReason: "length" })),
  );
  expect(await judge.score(input)).toBe(1);
});

test("thoughts are passed over", async () => {
  const judge = judgeOf(saying(`<think>${rated(1, 1, 1)}</think>\n${rated(9, 9, 9)}`));
  expect(await judge.score(input)).toBe(1);
});

describe("with the alternatives' log-probabilities", () => {
  const texts = [
    "\ndiagnosis:",
    " ",
    "0",
    "1",
    "2",
    "3",
    "4",
    "5",
    "6",
    "7",
    "8",
    "9",
    "\nediting:",
    "\nverification:",
    "<|im_end|>",
  ];
  const id = (text: string) => texts.indexOf(text);
  const digits = (probabilities: Readonly<Record<string, number>>) => ({
    ids: Object.keys(probabilities).map(id),
    logs: Object.values(probabilities).map(Math.log),
  });
  const likely = [digits({ 7: 0.5, 9: 0.5 }), digits({ 4: 0.75, 0: 0.25 }), digits({ 0: 0.9, 9: 0.1 })];
  const spoken = [0, 1, id("7"), 12, 1, id("4"), 13, 1, id("0"), 14];
  const places = new Map([
    [2, likely[0]!],
    [5, likely[1]!],
    [8, likely[2]!],
  ]);
  const sample = {
    ...sampleOf(rated(7, 4, 0).replace(/.*?\n/, "\n")),
    tokenIds: spoken,
    topTokenIds: spoken.map((_, place) => places.get(place)?.ids ?? []),
    topLogprobs: spoken.map((_, place) => places.get(place)?.logs ?? []),
  };
  const tokens = decodedTokens((one) => texts[one]!);

  test("a rating is the mean over its digit's probabilities", async () => {
    const server = scriptedServer(() => sample);
    expect(await judgeOf(server, { tokens }).score(input)).toBeCloseTo((8 + 3 + 0.9) / 27);
    expect(server.requests[0]!.topLogprobs).toBe(20);
  });

  test.each([
    ["the server does not name them", { ...sample, topTokenIds: undefined }],
    [
      "they are of another text",
      { ...sample, tokenIds: spoken.map((one) => (one === id("7") ? id("8") : one)) },
    ],
  ])("a rating is what is written, if %s", async (name, { topTokenIds, ...rest }) => {
    const server = scriptedServer(() => (topTokenIds ? { ...rest, topTokenIds } : rest));
    const score = await judgeOf(server, { tokens }).score(input);
    expect(score).toBeCloseTo(name.includes("another") ? (7 + 3 + 0.9) / 27 : 11 / 27);
  });

  test("on a scale to 10 a digit is no rating, and what is written counts", async () => {
    expect(
      await judgeOf(
        scriptedServer(() => sample),
        { tokens, scale: 10 },
      ).score(input),
    ).toBeCloseTo(11 / 30);
  });
});

describe("equal branches are asked about once", () => {
  test("one after the other", async () => {
    const server = saying(rated(3, 3, 3));
    const judge = judgeOf(server);
    const twin = { ...branchOf([["ls", "a.py"]]), branch: "1.0" };
    expect([await judge.score(input), await judge.score(inputOf(twin))]).toEqual([1 / 3, 1 / 3]);
    expect(server.requests).toHaveLength(1);
    expect(judge.usage()).toMatchObject({
      calls: 1,
      cacheHits: 1,
      promptTokens: 100,
      generatedTokens: 10,
      cachedTokens: 60,
    });
  });

  test("at once", async () => {
    const server = saying(rated(3, 3, 3));
    const judge = judgeOf(server);
    await Promise.all([judge.score(input), judge.score(input), judge.score(input)]);
    expect(server.requests).toHaveLength(1);
  });

  test("but a failure is not kept", async () => {
    const server = scriptedServer((_, call) => sampleOf(call === 0 ? "?" : rated(9, 9, 9)));
    const judge = judgeOf(server);
    expect([await judge.score(input), await judge.score(input)]).toEqual([undefined, 1]);
  });

  test("and does not take the place of a score", async () => {
    const server = scriptedServer((_, call) => sampleOf(call === 1 ? "?" : rated(9, 9, 9)));
    const judge = judgeOf(server, { cache: 1 });
    for (const name of ["a", "b", "a"]) await judge.score(inputOf(branchOf([[name, ""]])));
    expect(server.requests).toHaveLength(2);
  });

  test("and no more scores are kept than asked for", async () => {
    const server = saying(rated(3, 3, 3));
    const judge = judgeOf(server, { cache: 2 });
    const scored = (name: string) => judge.score(inputOf(branchOf([[name, ""]])));
    for (const name of ["a", "b", "a", "c", "a", "b"]) await scored(name);
    expect(server.requests).toHaveLength(4);
  });
});

describe("an abort", () => {
  const hanging = () =>
    scriptedServer(
      (_, __, signal) =>
        new Promise((_, reject) =>
          signal!.addEventListener("abort", () => reject(signal!.reason), { once: true }),
        ),
    );

  test("ends the request, and is no failure", async () => {
    const controller = new AbortController();
    const server = hanging();
    const judge = judgeOf(server);
    const scored = judge.score(inputOf(node, controller.signal));
    controller.abort(new Error("enough"));
    await expect(scored).rejects.toThrow("enough");
    expect(judge.usage().failures).toBe(0);
    await expect(judge.score(inputOf(node, controller.signal))).rejects.toThrow("enough");
    expect(server.requests).toHaveLength(1);
  });

  test("of one who waits leaves the others their score", async () => {
    const controller = new AbortController();
    let answer = () => {};
    let aborted = false;
    const server = scriptedServer((_, __, signal) => {
      signal!.addEventListener("abort", () => {
        aborted = true;
      });
      return new Promise((resolve) => {
        answer = () => resolve(sampleOf(rated(9, 9, 9)));
      });
    });
    const judge = judgeOf(server);
    const [gone, stays] = [judge.score(inputOf(node, controller.signal)), judge.score(input)];
    controller.abort(new Error("enough"));
    await expect(gone).rejects.toThrow("enough");
    expect(aborted).toBe(false);
    answer();
    expect(await stays).toBe(1);
    expect(server.requests).toHaveLength(1);
  });
});

test("several samples are averaged, those that fail left out", async () => {
  const server = scriptedServer((_, call) => sampleOf([rated(9, 9, 9), "?", rated(3, 3, 3)][call]!));
  const judge = judgeOf(server, { samples: 3, temperature: 1 });
  expect(await judge.score(input)).toBeCloseTo(2 / 3);
  expect(new Set(server.requests.map(({ seed }) => seed)).size).toBe(3);
  expect(judge.usage()).toMatchObject({ calls: 3, failures: 1 });
});

test("time is what the clock says", async () => {
  let now = 1000;
  const server = scriptedServer(() => {
    now += 250;
    return sampleOf(rated(1, 1, 1));
  });
  const judge = judgeOf(server, { clock: { now: () => now } });
  await judge.score(input);
  expect(judge.usage().ms).toBe(250);
});

test.each<[string, Partial<Options>]>([
  ["`scale`", { scale: 0 }],
  ["`scale`", { scale: 2.5 }],
  ["`samples`", { samples: 0 }],
  ["several `samples` at `temperature` 0", { samples: 2 }],
  ["`maxTokens`", { maxTokens: 0 }],
  ["`maxChars`", { maxChars: 10 }],
  ["`cache`", { cache: -1 }],
  ["`weights.editing`", { weights: { editing: -1 } }],
  ["one of `weights`", { weights: { diagnosis: 0, editing: 0, verification: 0 } }],
])("bad options are named: %s", (name, options) => {
  expect(() => judgeOf(saying(""), options)).toThrow(name);
});

describe("mixed with a heuristic by lambda", () => {
  const says = (score: number | undefined): Scorer<{ issue: string }, string, string> => ({
    name: "h",
    score: () => score,
  });
  const at = (scorer: Scorer<{ issue: string }, string, string>) => scorer.score(input);

  test("s = lambda * judge + (1 - lambda) * heuristic", async () => {
    const unit = fc.double({ min: 0, max: 1, noNaN: true });
    const digit = fc.integer({ min: 0, max: 9 });
    await fc.assert(
      fc.asyncProperty(unit, unit, digit, async (lambda, heuristic, rating) => {
        const judge = judgeOf(saying(rated(rating, rating, rating)));
        const mixed = (await at(byLambda(lambda, judge, says(heuristic))))!;
        expect(mixed).toBeCloseTo((lambda * rating) / 9 + (1 - lambda) * heuristic, 9);
        expect(mixed >= 0 && mixed <= 1).toBe(true);
      }),
    );
  });

  test("a judge that fails leaves the heuristic's score as it is, not lowered", async () => {
    const failing = judgeOf(scriptedServer(() => Promise.reject(new ServerError("overloaded", "429"))));
    expect(await at(byLambda(0.7, failing, says(0.6)))).toBeCloseTo(0.6);
    const mixed = mix([
      { scorer: failing, weight: 0.7 },
      { scorer: says(undefined), weight: 0.3 },
    ]);
    expect(await at(mixed)).toBeUndefined();
  });

  test("at 0 the judge is not asked, at 1 the heuristic is not", async () => {
    const server = saying(rated(9, 9, 9));
    expect(await at(byLambda(0, judgeOf(server), says(0.5)))).toBe(0.5);
    expect(server.requests).toHaveLength(0);
    expect(await at(byLambda(1, judgeOf(server), says(0.5)))).toBe(1);
    expect(() => byLambda(1.5, says(0), says(0))).toThrow("byLambda: expected `lambda`");
  });
});

test("a transcript that fails is an error of the caller's, and named", async () => {
  const judge = judgeOf(saying(""), {
    transcript: () => {
      throw new Error("no such field");
    },
  });
  await expect(judge.score({ ...input, task: TASK } as WordInput)).rejects.toThrow("no such field");
});

test("what a reply cost and what failed is reported to whoever asked first", async () => {
  const replies = [sampleOf(rated(9, 9, 9)), sampleOf("fine"), new ServerError("timeout", "late")];
  const judge = judgeOf(
    scriptedServer(async (_, call) => {
      const reply = replies[call]!;
      if (reply instanceof Error) throw reply;
      return reply;
    }),
    { samples: 3, temperature: 1 },
  );
  const [first, second]: ScoreReport[][] = [[], []];
  const both = [first, second].map((list) =>
    judge.score({ ...input, report: (one) => void list!.push(one) }),
  );
  expect(await Promise.all(both)).toEqual([1, 1]);
  const usage = { promptTokens: 100, generatedTokens: 10, cachedTokens: 60 };
  expect(first).toHaveLength(4);
  expect(first!.filter((report) => report.usage)).toEqual([{ usage }, { usage }]);
  expect(first!.flatMap(({ fault }) => fault ?? []).sort()).toEqual(["timeout", "unreadable"]);
  expect(second).toEqual([]);
});

test("lambda may ask for both parts or none", async () => {
  const silent: Scorer<{ issue: string }, string, string> = { name: "silent", score: () => undefined };
  const sure: Scorer<{ issue: string }, string, string> = { name: "sure", score: () => 1 };
  expect(await byLambda(0.5, silent, sure).score(input)).toBe(1);
  expect(await byLambda(0.5, silent, sure, { missing: "none" }).score(input)).toBeUndefined();
});
