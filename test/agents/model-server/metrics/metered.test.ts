import { expect, test } from "vitest";
import { Meter } from "../../../../agents/model-server/metrics/meter.ts";
import { metered, type Span } from "../../../../agents/model-server/metrics/metered.ts";
import { ask, HandServer } from "../pool/hand-server.ts";
import { settle, VirtualTime } from "../pool/virtual-time.ts";

function value(meter: Meter, name: string, labels: Record<string, string>): number | undefined {
  const series = meter.snapshot().find((metric) => metric.name === `forkgym_model_${name}`)?.series;
  return series?.find((each) => JSON.stringify(each.labels) === JSON.stringify(labels))?.value;
}

test("samples and tokens are counted by endpoint, failures by fault, and time is taken", async () => {
  const time = new VirtualTime();
  const meter = new Meter();
  const hand = new HandServer("m");
  const server = metered(hand, { meter, endpoint: "http://a", clock: time.clock });
  const endpoint = "http://a";
  const replies = ["x", "x", "x"].map((tree) => server.sample(ask(tree)).catch(() => {}));
  expect(value(meter, "in_flight", { endpoint })).toBe(3);
  await time.advance(500);
  hand.reply();
  hand.weights = undefined;
  hand.reply();
  await time.advance(1500);
  hand.fail("cut");
  await Promise.all(replies);
  expect(value(meter, "in_flight", { endpoint })).toBe(0);
  expect(value(meter, "samples_total", { endpoint })).toBe(2);
  const tokens = (kind: string) => value(meter, `${kind}_tokens_total`, { endpoint });
  expect(["prompt", "cached", "generated"].map(tokens)).toEqual([6, 4, 2]);
  expect(value(meter, "failures_total", { endpoint, fault: "cut" })).toBe(1);
  const latency = meter.snapshot().find(({ kind }) => kind === "histogram")!.series[0]!;
  expect([latency.value, latency.count]).toEqual([3, 3]);
});

test("what the caller takes back is counted as aborted and its time is not taken", async () => {
  const meter = new Meter();
  const server = metered(new HandServer("m"), { meter });
  const abort = new AbortController();
  const reply = server.sample(ask("x"), abort.signal);
  abort.abort("pruned");
  await expect(reply).rejects.toBe("pruned");
  expect(value(meter, "failures_total", { endpoint: "m", fault: "aborted" })).toBe(1);
  expect(meter.snapshot().some(({ kind }) => kind === "histogram")).toBe(false);
});

test("a span says what was asked of whom and what came of it", async () => {
  const spans: Span[] = [];
  const time = new VirtualTime();
  const hand = new HandServer("m");
  const server = metered(hand, { onSpan: (span) => spans.push(span), clock: time.clock });
  const replies = ["x", "x"].map((tree) => server.sample(ask(tree)).catch(() => {}));
  hand.reply();
  await settle();
  await time.advance(40);
  hand.fail("server-error");
  await Promise.all(replies);
  const common = { endpoint: "m", affinity: "x" };
  const sampled = {
    promptTokens: 3,
    generatedTokens: 1,
    finishReason: "stop",
    cachedTokens: 2,
    weights: "w1",
  };
  const failed = { fault: "server-error", message: "m: server-error" };
  expect(spans).toEqual([
    { name: "model.sample", startMs: 0, endMs: 0, attributes: { ...common, ...sampled } },
    { name: "model.sample", startMs: 0, endMs: 40, attributes: { ...common, ...failed } },
  ]);
});

test("a server that counts its tokens wrong costs a number, not the sample", async () => {
  const meter = new Meter();
  const hand = new HandServer("m");
  const wrong = Object.assign(Object.create(hand) as HandServer, {
    sample: async () => ({
      text: "",
      promptTokens: Number.NaN,
      generatedTokens: -1,
      finishReason: "stop" as const,
      endpoint: "m",
    }),
  });
  await expect(metered(wrong, { meter }).sample(ask("x"))).resolves.toMatchObject({ generatedTokens: -1 });
  expect(value(meter, "samples_total", { endpoint: "m" })).toBe(1);
  expect(value(meter, "generated_tokens_total", { endpoint: "m" })).toBeUndefined();
});

test("new weights make no new series", async () => {
  const meter = new Meter();
  const hand = new HandServer("m");
  const server = metered(hand, { meter });
  const series = async (version: string) => {
    hand.weights = version;
    const reply = server.sample(ask("x"));
    hand.reply();
    await reply;
    return meter.snapshot().reduce((sum, { series }) => sum + series.length, 0);
  };
  expect(await series("w2")).toBe(await series("w1"));
});
