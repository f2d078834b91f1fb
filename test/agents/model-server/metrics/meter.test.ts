import { expect, test } from "vitest";
import { exposition } from "../../../../agents/model-server/metrics/exposition.ts";
import { Meter, type Metric } from "../../../../agents/model-server/metrics/meter.ts";
import { InputError } from "../../../../core/errors.ts";

const HITS: Metric = { name: "hits_total", kind: "counter", help: "Hits.\nAll of \\them." };
const ROOM: Metric = { name: "room", kind: "gauge", help: "Room." };
const TIME: Metric = { name: "time_seconds", kind: "histogram", help: "Time.", buckets: [0.1, 1] };

function filled(): Meter {
  const meter = new Meter();
  meter.count(HITS, { who: 'a"b\\c\nd' });
  meter.count(HITS, { who: "x" }, 2.5);
  meter.count(HITS, { who: "x" });
  meter.set(ROOM, {}, 3);
  meter.add(ROOM, {}, -4);
  for (const value of [0.1, 0.5, 7]) meter.observe(TIME, { at: "e" }, value);
  return meter;
}

test("a snapshot is plain JSON of what was counted, and does not change afterwards", () => {
  const meter = filled();
  const snapshot = meter.snapshot();
  expect(JSON.parse(JSON.stringify(snapshot))).toEqual(snapshot);
  meter.count(HITS, { who: "x" });
  meter.observe(TIME, { at: "e" }, 0.05);
  expect(snapshot.map(({ name, series }) => [name, series])).toEqual([
    [
      "hits_total",
      [
        { labels: { who: 'a"b\\c\nd' }, value: 1 },
        { labels: { who: "x" }, value: 3.5 },
      ],
    ],
    ["room", [{ labels: {}, value: -1 }]],
    ["time_seconds", [{ labels: { at: "e" }, value: 7.6, count: 3, buckets: [1, 2] }]],
  ]);
});

test("the order of labels does not make another series", () => {
  const meter = new Meter();
  meter.count(HITS, { a: "1", b: "2" });
  meter.count(HITS, { b: "2", a: "1" });
  expect(meter.snapshot()[0]!.series).toEqual([{ labels: { a: "1", b: "2" }, value: 2 }]);
});

test("the exposition is what Prometheus reads", () => {
  expect(exposition(filled().snapshot())).toBe(
    [
      "# HELP hits_total Hits.\\nAll of \\\\them.",
      "# TYPE hits_total counter",
      'hits_total{who="a\\"b\\\\c\\nd"} 1',
      'hits_total{who="x"} 3.5',
      "# HELP room Room.",
      "# TYPE room gauge",
      "room -1",
      "# HELP time_seconds Time.",
      "# TYPE time_seconds histogram",
      'time_seconds_bucket{at="e",le="0.1"} 1',
      'time_seconds_bucket{at="e",le="1"} 2',
      'time_seconds_bucket{at="e",le="+Inf"} 3',
      'time_seconds_sum{at="e"} 7.6',
      'time_seconds_count{at="e"} 3',
      "",
    ].join("\n"),
  );
});

test("numbers that are none are written as Prometheus writes them", () => {
  const meter = new Meter();
  for (const [n, value] of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY].entries()) {
    meter.set(ROOM, { n: String(n) }, value);
  }
  expect(exposition(meter.snapshot()).split("\n").slice(2, 5)).toEqual([
    'room{n="0"} NaN',
    'room{n="1"} +Inf',
    'room{n="2"} -Inf',
  ]);
});

test("a counter does not go down, a histogram takes numbers only, a name is one metric", () => {
  const meter = filled();
  for (const by of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(() => meter.count(HITS, {}, by)).toThrow(InputError);
  }
  expect(() => meter.observe(TIME, {}, Number.NaN)).toThrow(InputError);
  expect(() => meter.count({ ...HITS }, {})).toThrow("`hits_total` is already another metric");
  expect(() => meter.count(ROOM, {})).toThrow("is no counter");
});
