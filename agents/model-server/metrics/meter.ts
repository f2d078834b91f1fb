import { InputError } from "../../../core/errors.ts";

/** A number that a run can show. Names are in Prometheus style: `_total` for counters, the unit before it. */
export interface Metric {
  readonly name: string;
  readonly kind: "counter" | "gauge" | "histogram";
  /** One line, for people. */
  readonly help: string;
  /** Upper bounds of a histogram's buckets, included, rising; the one without bound is understood. */
  readonly buckets?: readonly number[];
}

export type Labels = Readonly<Record<string, string>>;

/** One metric with one set of labels. */
export interface Series {
  readonly labels: Labels;
  /** A counter's or gauge's number; a histogram's sum. */
  readonly value: number;
  /** Of a histogram: observations of at most each of the metric's `buckets`, and of any size. */
  readonly buckets?: readonly number[];
  readonly count?: number;
}

/** Plain JSON, metrics in the order of their first use. */
export type MeterSnapshot = readonly (Metric & { readonly series: readonly Series[] })[];

interface Live {
  readonly labels: Labels;
  value: number;
  count: number;
  readonly buckets: number[];
}

/** Counters, gauges and histograms in memory. It costs two map look-ups a number; nothing is sent anywhere. */
export class Meter {
  readonly #metrics = new Map<string, { readonly metric: Metric; readonly series: Map<string, Live> }>();

  /** Adds `by` to a counter. @throws {InputError} if `by` is below 0 or no number */
  count(metric: Metric, labels: Labels = {}, by = 1): void {
    if (!(by >= 0 && by < Number.POSITIVE_INFINITY)) {
      throw new InputError(`meter: \`${metric.name}\` is a counter and cannot go up by ${by}`);
    }
    this.#at(metric, "counter", labels).value += by;
  }

  /** Sets a gauge. */
  set(metric: Metric, labels: Labels, value: number): void {
    this.#at(metric, "gauge", labels).value = value;
  }

  /** Adds to a gauge; `by` may be below 0. */
  add(metric: Metric, labels: Labels, by: number): void {
    this.#at(metric, "gauge", labels).value += by;
  }

  /** Puts `value` into a histogram. @throws {InputError} if it is not finite */
  observe(metric: Metric, labels: Labels, value: number): void {
    if (!Number.isFinite(value)) throw new InputError(`meter: \`${metric.name}\` cannot take ${value}`);
    const live = this.#at(metric, "histogram", labels);
    live.value += value;
    live.count++;
    for (const [place, atMost] of (metric.buckets ?? []).entries()) {
      if (value <= atMost) live.buckets[place]!++;
    }
  }

  snapshot(): MeterSnapshot {
    return [...this.#metrics.values()].map(({ metric, series }) => ({
      ...metric,
      series: [...series.values()].map(({ labels, value, count, buckets }) =>
        metric.kind === "histogram"
          ? { labels: { ...labels }, value, count, buckets: [...buckets] }
          : { labels: { ...labels }, value },
      ),
    }));
  }

  #at(metric: Metric, kind: Metric["kind"], labels: Labels): Live {
    let found = this.#metrics.get(metric.name);
    if (found === undefined) {
      found = { metric, series: new Map() };
      this.#metrics.set(metric.name, found);
    }
    if (found.metric !== metric || metric.kind !== kind) {
      throw new InputError(
        `meter: \`${metric.name}\` is already another metric, or is no ${kind}: give it a name of its own`,
      );
    }
    const key = JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
    let live = found.series.get(key);
    if (live === undefined) {
      live = { labels, value: 0, count: 0, buckets: (metric.buckets ?? []).map(() => 0) };
      found.series.set(key, live);
    }
    return live;
  }
}
