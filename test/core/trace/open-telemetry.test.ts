import { SpanKind, SpanStatusCode } from "@opentelemetry/api";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { describe, expect, test } from "vitest";
import { rolloutAll } from "../../../core/rollout/engine.ts";
import { patr } from "../../../core/rollout/strategies/patr.ts";
import { loadApi } from "../../../core/trace/load-api.ts";
import { openTelemetry } from "../../../core/trace/open-telemetry.ts";
import type { Tracer } from "../../../core/trace/tracer.ts";
import { LineWorld } from "../../fakes/line-env.ts";
import { byPath, grow, type LineTree, task, wander } from "../rollout/growing.ts";

async function recording(): Promise<{ tracer: Tracer; spans: () => readonly ReadableSpan[] }> {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  return { tracer: await openTelemetry({ provider }), spans: () => exporter.getFinishedSpans() };
}

const idOf = (span: ReadableSpan) => span.spanContext().spanId;
const kinds = (spans: readonly ReadableSpan[]) => {
  const counts: Record<string, number> = {};
  for (const { name } of spans) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
};

describe("a rollout's spans", async () => {
  const { tracer, spans } = await recording();
  const strategy = patr({ branches: 3, children: 3, every: 2, top: 1 });
  const world = new LineWorld();
  world.jitter = 5;
  const trees: LineTree[] = [];
  const scorer = byPath;
  const options = { env: world.make, policy: wander, scorer, strategy, seed: 1, trees: 3, tracer };
  await rolloutAll([4, 5, 6].map(task), options, (tree) => void trees.push(tree));
  const all = spans();
  const treeSpans = all.filter(({ name }) => name === "forkgym.tree");

  test("there is one for each tree, turn, fork and score, and each belongs to its own tree", () => {
    const sum = (of: (tree: LineTree) => number) => trees.reduce((total, tree) => total + of(tree), 0);
    expect(kinds(all)).toEqual({
      "forkgym.tree": 3,
      "forkgym.turn": sum(({ budget }) => budget.turns),
      "forkgym.fork": sum(({ budget }) => budget.forks),
      "forkgym.score": sum(({ budget }) => budget.scorerCalls),
    });
    for (const tree of trees) {
      const span = treeSpans.find(({ attributes }) => attributes["forkgym.task.id"] === tree.task.id)!;
      const inside = all.filter(({ parentSpanContext }) => parentSpanContext?.spanId === idOf(span));
      expect(kinds(inside)).toEqual({
        "forkgym.turn": tree.budget.turns,
        "forkgym.fork": tree.budget.forks,
        "forkgym.score": tree.budget.scorerCalls,
      });
      expect(new Set(inside.map((each) => each.spanContext().traceId))).toEqual(
        new Set([span.spanContext().traceId]),
      );
      expect(span.attributes).toMatchObject({
        "forkgym.seed": 1,
        "forkgym.policy": "wander",
        "forkgym.strategy": "patr",
        "forkgym.turns": tree.budget.turns,
        "forkgym.leaves": tree.leaves.length,
        "forkgym.problems": 0,
      });
      const turns = inside.filter(({ name }) => name === "forkgym.turn").map(({ attributes }) => attributes);
      const taken = turns.map((turn) => `${turn["forkgym.branch"]} ${turn["forkgym.turn"]}`).sort();
      expect(taken).toEqual(
        tree.nodes
          .slice(1)
          .map(({ branch, turn }) => `${branch} ${turn}`)
          .sort(),
      );
    }
  });

  test("a turn says how it ended, a score what it was, a fork of what branch it is", () => {
    const of = (kind: string) =>
      all.filter(({ name }) => name === `forkgym.${kind}`).map((one) => one.attributes);
    const ends = of("turn").filter((turn) => turn["forkgym.end"] !== undefined);
    expect(ends.length).toBeGreaterThan(3);
    for (const turn of ends) expect(turn["forkgym.reward"]).toBeTypeOf("number");
    for (const score of of("score")) {
      expect(score["forkgym.scorer"]).toBe("by path");
      expect(score["forkgym.score"]).toBe((1 + Number(String(score["forkgym.branch"]).at(-1))) / 10);
    }
    const forked = trees.flatMap(({ branches }) => branches.filter(({ seed }) => seed !== null));
    expect(
      of("fork")
        .map((fork) => fork["forkgym.branch"])
        .sort(),
    ).toEqual(forked.map(({ path }) => path).sort());
  });
});

test("the tree is the same with a tracer as without, with limits and a signal too", async () => {
  const { tracer } = await recording();
  const strategy = patr({ branches: 2, every: 2, top: 1 });
  const options = { strategy, limits: { turnMs: 10_000 }, signal: new AbortController().signal };
  const clock = { now: () => 0 };
  expect(await grow(5, { ...options, clock, tracer })).toEqual(await grow(5, { ...options, clock }));
});

test("what fails is noted on its span, and thrown on", async () => {
  const { tracer, spans } = await recording();
  const failing = tracer.span("outer", { a: "1", b: undefined }, () =>
    tracer.span("call", {}, () => Promise.reject(new Error("no such host")), "client"),
  );
  await expect(failing).rejects.toThrow("no such host");
  const [call, outer] = spans();
  expect(call!.status).toEqual({ code: SpanStatusCode.ERROR, message: "no such host" });
  expect(call!.events[0]!.attributes).toMatchObject({ "exception.message": "no such host" });
  expect([call!.kind, outer!.kind]).toEqual([SpanKind.CLIENT, SpanKind.INTERNAL]);
  expect(call!.parentSpanContext!.spanId).toBe(idOf(outer!));
  expect(outer!.attributes).toEqual({ a: "1" });
});

test("a program's own span is the parent of ours, if it has a context manager", async () => {
  const { tracer, spans } = await recording();
  const api = await loadApi();
  const own = api.trace.wrapSpanContext({ traceId: "1".repeat(32), spanId: "2".repeat(16), traceFlags: 1 });
  const stack = [api.trace.setSpan(api.ROOT_CONTEXT, own)];
  api.context.setGlobalContextManager({
    active: () => stack.at(-1)!,
    with: (context, run, self, ...args) => {
      stack.push(context);
      const result = run.call(self!, ...args);
      stack.pop();
      return result;
    },
    bind: (_, target) => target,
    enable() {
      return this;
    },
    disable() {
      return this;
    },
  });
  try {
    await tracer.span("ours", {}, async () => {});
  } finally {
    api.context.disable();
  }
  expect(spans()[0]!.parentSpanContext!.spanId).toBe("2".repeat(16));
});

test("without the package the error says how to install it", async () => {
  await expect(loadApi("@opentelemetry/no-such-package")).rejects.toThrow(
    "openTelemetry: @opentelemetry/api is not installed; run: npm i @opentelemetry/api@^1.9.0",
  );
});
