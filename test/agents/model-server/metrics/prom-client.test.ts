import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { exposition } from "../../../../agents/model-server/metrics/exposition.ts";
import { Meter } from "../../../../agents/model-server/metrics/meter.ts";
import * as metrics from "../../../../agents/model-server/metrics/metrics.ts";
import { registerWith } from "../../../../agents/model-server/metrics/prom-client.ts";

test("prom-client prints the same numbers as our own exposition, each time anew", async () => {
  const meter = new Meter();
  const registry = new Registry();
  registerWith(registry, meter);
  const lines = (text: string) => text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  expect(lines(await registry.metrics())).toEqual([]);
  meter.count(metrics.FAILURES, { endpoint: 'http://a"\\\n', fault: "cut" }, 3);
  meter.set(metrics.QUEUED, {}, 2);
  meter.add(metrics.IN_FLIGHT, { endpoint: "b" }, -1);
  for (const seconds of [0.02, 5, 1e9]) meter.observe(metrics.LATENCY, { endpoint: "b" }, seconds);
  const printed = await registry.metrics();
  expect(lines(printed).sort()).toEqual(lines(exposition(meter.snapshot())).sort());
  expect(lines(printed)).toHaveLength(16);
  for (const line of exposition(meter.snapshot()).split("\n")) expect(printed.split("\n")).toContain(line);
  expect(() => registerWith(registry, meter)).toThrow("already been registered");
  expect(await registry.getMetricsAsJSON()).toHaveLength(Object.keys(metrics).length);
});
