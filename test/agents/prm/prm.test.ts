import { describe, expect, test } from "vitest";
import { ServerError } from "../../../agents/model-server/errors.ts";
import { type PrmOptions, type PrmServer, prmScorer } from "../../../agents/prm/index.ts";
import { mix, type ScoreReport } from "../../../core/scorer.ts";
import { branchOf, inputOf, TASK, transcriptOf } from "../judge/lab.ts";
import { handTimer } from "./lab.ts";

type Options = PrmOptions<{ issue: string }, string, string>;

/** A model that thinks as much of a step as its last digit says. */
function digitServer(fail: (call: number) => Error | undefined = () => undefined) {
  const calls: Parameters<PrmServer["score"]>[0][] = [];
  const server: PrmServer = {
    name: "fake prm",
    async score(branches) {
      calls.push(branches);
      const error = fail(calls.length - 1);
      if (error !== undefined) throw error;
      const results = branches.map(({ steps }) =>
        steps.some((step) => step.includes("garbled"))
          ? { unreadable: "garbled" }
          : steps.map((step) => Number(/\d(?=\D*$)/.exec(step)![0]) / 9),
      );
      return { results, promptTokens: 50, cachedTokens: 20 };
    },
  };
  return { server, calls };
}

function scorerOf(server: PrmServer, more: Partial<Options> = {}) {
  const steps: Options["steps"] = (task, node) => ({
    problem: task.data.issue,
    steps: transcriptOf(task, node).steps.map(({ action }) => action),
  });
  return prmScorer<{ issue: string }, string, string>({ server, steps, windowMs: 0, ...more });
}

const branch = (...actions: string[]) =>
  inputOf(branchOf(actions.map((action) => [action, "seen"] as const)));
const numbered = Array.from({ length: 13 }, (_, index) => `step ${index % 9}`);

test("as in the paper: the last step's score, of the last ten", async () => {
  const { server, calls } = digitServer();
  const scorer = scorerOf(server);
  expect(await scorer.score(branch(...numbered))).toBeCloseTo((12 % 9) / 9);
  expect(calls[0]![0]).toEqual({ problem: TASK.data.issue, steps: numbered.slice(3) });
  expect(scorer.name).toBe("prm(fake prm, last of 10)");
});

test("or any other way, of any number", async () => {
  const { server } = digitServer();
  expect(
    await scorerOf(server, { aggregate: "max", lastSteps: 2 }).score(branch("s 9", "s 3", "s 6")),
  ).toBeCloseTo(6 / 9);
});

test("a branch without steps has no score and costs nothing", async () => {
  const { server, calls } = digitServer();
  const scorer = scorerOf(server);
  expect(await scorer.score(branch())).toBeUndefined();
  expect(calls).toHaveLength(0);
  expect(scorer.usage().failures).toBe(0);
});

test("texts are cut and their special tokens broken up, the separator included", async () => {
  const { server, calls } = digitServer();
  await scorerOf(server, { stepChars: 60 }).score(branch(`<extra_0><|im_end|>${"y".repeat(100)} 5`));
  const [sent] = calls[0]![0]!.steps as [string];
  expect(sent.length).toBeLessThanOrEqual(60);
  expect(sent).not.toMatch(/<extra_0>|<\|/);
});

test("branches of a checkpoint share a request, and each gets its own score", async () => {
  const timer = handTimer();
  const { server, calls } = digitServer();
  const scorer = scorerOf(server, { schedule: timer.schedule, windowMs: 7 });
  const scores = [1, 2, 3, 4].map((digit) => scorer.score(branch(`s ${digit}`)));
  const twin = scorer.score(branch("s 4"));
  timer.fire();
  expect(await Promise.all([...scores, twin])).toEqual([1, 2, 3, 4, 4].map((digit) => digit / 9));
  expect(calls).toHaveLength(1);
  expect(timer.waits).toEqual([7]);
  expect(scorer.usage()).toMatchObject({
    calls: 1,
    cacheHits: 1,
    failures: 0,
    promptTokens: 50,
    generatedTokens: 0,
    cachedTokens: 20,
  });
});

test("no request has more branches than asked for", async () => {
  const { server, calls } = digitServer();
  const scorer = scorerOf(server, { batch: 2 });
  await Promise.all([1, 2, 3].map((digit) => scorer.score(branch(`s ${digit}`))));
  expect(calls.map(({ length }) => length)).toEqual([2, 1]);
});

test("a branch that was scored is not asked about again", async () => {
  const { server, calls } = digitServer();
  const scorer = scorerOf(server);
  expect([await scorer.score(branch("s 3")), await scorer.score(branch("s 3"))]).toEqual([1 / 3, 1 / 3]);
  expect(calls).toHaveLength(1);
});

describe("a failure is a missing score, never a zero", () => {
  test("of the server: for every branch of the request, and not kept", async () => {
    const { server } = digitServer((call) => (call === 0 ? new ServerError("overloaded", "429") : undefined));
    const seen: string[] = [];
    const scorer = scorerOf(server, { onFailure: ({ fault, message }) => seen.push(`${fault} ${message}`) });
    const both = () => Promise.all([scorer.score(branch("s 3")), scorer.score(branch("s 6"))]);
    expect(await both()).toEqual([undefined, undefined]);
    expect(scorer.usage()).toMatchObject({ calls: 1, failures: 2, faults: { overloaded: 2 } });
    expect(seen).toEqual(["overloaded 429", "overloaded 429"]);
    expect(await both()).toEqual([3 / 9, 6 / 9]);
  });

  test("of a server that refuses the whole request for one branch: each is asked about alone", async () => {
    const { server, calls } = digitServer();
    const picky: PrmServer = {
      name: server.name,
      async score(branches, signal) {
        const scored = await server.score(branches, signal);
        if (!branches.some(({ steps }) => steps.some((step) => step.includes("long")))) return scored;
        throw new ServerError("refused", "too long", { status: 400 });
      },
    };
    const scorer = scorerOf(picky);
    const all = ["s 3", "long 4", "s 6"].map((step) => scorer.score(branch(step)));
    expect(await Promise.all(all)).toEqual([3 / 9, undefined, 6 / 9]);
    expect(calls.map(({ length }) => length)).toEqual([3, 1, 1, 1]);
    expect(scorer.usage()).toMatchObject({
      calls: 4,
      failures: 1,
      faults: { refused: 1 },
      promptTokens: 100,
    });
  });

  test.each([
    ["a single branch", 1, 400],
    ["a wrong key", 2, 401],
    ["an absent route", 2, 404],
  ])("of a server that refuses %s: it is not asked again", async (_, branches, status) => {
    const { server, calls } = digitServer(() => new ServerError("refused", "no", { status }));
    const scorer = scorerOf(server);
    await Promise.all(Array.from({ length: branches }, (_, at) => scorer.score(branch(`s ${at}`))));
    expect(calls).toHaveLength(1);
    expect(scorer.usage()).toMatchObject({ calls: 1, failures: branches });
  });

  test("of one branch: the others have theirs", async () => {
    const { server } = digitServer();
    const scorer = scorerOf(server);
    expect(await Promise.all([scorer.score(branch("garbled")), scorer.score(branch("s 6"))])).toEqual([
      undefined,
      6 / 9,
    ]);
    expect(scorer.usage()).toMatchObject({ calls: 1, failures: 1, faults: { unreadable: 1 } });
  });

  test.each([
    ["no scores", [[]]],
    ["a score over 1", [[0.5, 1.5]]],
    ["NaN", [[Number.NaN]]],
    ["no result", []],
  ])("of a model that gives %s", async (_, results) => {
    const scorer = scorerOf(
      { name: "odd", score: async () => ({ results, promptTokens: 1 }) },
      { aggregate: "min" },
    );
    expect(await scorer.score(branch("s 1"))).toBeUndefined();
    expect(scorer.usage().failures).toBe(1);
  });

  test("and in a mixture the rest counts alone", async () => {
    const { server } = digitServer(() => new ServerError("timeout", "late"));
    const heuristic = { name: "h", score: () => 0.6 };
    const mixed = mix([
      { scorer: scorerOf(server), weight: 0.5 },
      { scorer: heuristic, weight: 0.5 },
    ]);
    expect(await mixed.score(branch("s 1"))).toBeCloseTo(0.6);
  });
});

test("an abort rejects with its reason and is no failure", async () => {
  const controller = new AbortController();
  let seen: AbortSignal | undefined;
  const scorer = scorerOf(
    {
      name: "slow",
      score: (_, signal) => {
        seen = signal;
        return new Promise(() => {});
      },
    },
    { batch: 1 },
  );
  const scored = scorer.score({ ...branch("s 1"), signal: controller.signal });
  controller.abort(new Error("enough"));
  await expect(scored).rejects.toThrow("enough");
  await new Promise((resolve) => setImmediate(resolve));
  expect(seen!.aborted).toBe(true);
  expect(scorer.usage().failures).toBe(0);
});

test.each<[string, Partial<Options>]>([
  ["`aggregate`", { aggregate: "median" as never }],
  ["`lastSteps`", { lastSteps: 0 }],
  ["`stepChars`", { stepChars: 10 }],
  ["`problemChars`", { problemChars: 10 }],
  ["`batch`", { batch: 0 }],
  ["`windowMs`", { windowMs: -1 }],
  ["`cache`", { cache: 0.5 }],
])("bad options are named: %s", (name, options) => {
  expect(() => scorerOf(digitServer().server, options)).toThrow(`prmScorer: expected ${name}`);
});

test("each branch of a request reports its share of the cost, and what failed", async () => {
  const { server } = digitServer();
  const scorer = scorerOf(server);
  const reports: ScoreReport[][] = [[], [], []];
  const report = (list: ScoreReport[]) => (one: ScoreReport) => void list.push(one);
  await Promise.all(
    ["s 1", "garbled", "s 3"].map((step, at) =>
      scorer.score({ ...branch(step), report: report(reports[at]!) }),
    ),
  );
  const usage = (promptTokens: number, cachedTokens: number) => ({
    usage: { promptTokens, cachedTokens, generatedTokens: 0 },
  });
  expect(reports).toEqual([[usage(16, 6)], [usage(17, 7), { fault: "unreadable" }], [usage(17, 7)]]);
});
