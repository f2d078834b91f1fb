import type { Meter, Metric, Series } from "./meter.ts";
import * as metrics from "./metrics.ts";

/** What is needed of prom-client's `Registry`. */
export interface PromRegistry {
  registerMetric(metric: never): void;
}

/**
 * Puts the meter's metrics beside a program's own in a registry of prom-client's (15), to be read each time that the
 * registry is. Throws what the registry throws if it has metrics of these names already.
 */
export function registerWith(registry: PromRegistry, meter: Meter): void {
  for (const metric of Object.values(metrics)) {
    const { name, help, kind: type } = metric;
    const get = async () => {
      const series = meter.snapshot().find((each) => each.name === name)?.series ?? [];
      return { name, help, type, aggregator: "sum", values: series.flatMap((one) => valuesOf(metric, one)) };
    };
    registry.registerMetric({ name, help, type, aggregator: "sum", get, reset: () => {} } as never);
  }
}

interface PromValue {
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

function valuesOf({ name, kind, buckets = [] }: Metric, series: Series): readonly PromValue[] {
  const { labels, value, buckets: counts = [], count = 0 } = series;
  if (kind !== "histogram") return [{ labels, value }];
  const below = [
    ...buckets.map((atMost, place) => [atMost, counts[place]!] as const),
    ["+Inf", count] as const,
  ];
  return [
    ...below.map(([le, value]) => ({ metricName: `${name}_bucket`, labels: { ...labels, le }, value })),
    { metricName: `${name}_sum`, labels, value },
    { metricName: `${name}_count`, labels, value: count },
  ];
}
