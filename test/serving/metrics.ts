import type { ModelServerStats } from "./server.ts";

/** What beside the stats the metrics tell. */
export interface MetricsExtras {
  readonly model: string;
  /** Share of the cache that running requests hold. */
  readonly cacheUsage: number;
  readonly finished: Readonly<Record<string, number>>;
  /** Of all that finished, in sum. */
  readonly latencyMs: number;
  readonly queueMs: number;
}

/** The metrics by which vLLM is watched, in Prometheus's text format. Histograms have one bucket. */
export function metricsText(stats: ModelServerStats, extras: MetricsExtras): string {
  const labels = `engine="0",model_name="${extras.model}"`;
  const lines: string[] = [];
  const metric = (type: string, name: string, samples: readonly (readonly [string, number])[]) => {
    lines.push(`# HELP vllm:${name} ${name.replaceAll("_", " ")}`, `# TYPE vllm:${name} ${type}`);
    for (const [label, value] of samples) lines.push(`vllm:${label}} ${value}`);
  };
  const gauge = (name: string, value: number) => metric("gauge", name, [[`${name}{${labels}`, value]]);
  const counter = (name: string, value: number) =>
    metric("counter", name, [[`${name}_total{${labels}`, value]]);
  const histogram = (name: string, sumMs: number, count: number) =>
    metric("histogram", name, [
      [`${name}_bucket{${labels},le="+Inf"`, count],
      [`${name}_count{${labels}`, count],
      [`${name}_sum{${labels}`, sumMs / 1000],
    ]);
  gauge("num_requests_running", stats.running);
  gauge("num_requests_waiting", stats.waiting);
  gauge("kv_cache_usage_perc", extras.cacheUsage);
  counter("prefix_cache_queries", stats.promptTokens);
  counter("prefix_cache_hits", stats.cachedTokens);
  counter("prompt_tokens", stats.promptTokens);
  counter("generation_tokens", stats.generatedTokens);
  counter("num_preemptions", 0);
  const reasons = Object.entries(extras.finished);
  metric(
    "counter",
    "request_success",
    reasons.map(([reason, count]) => [
      `request_success_total{engine="0",finished_reason="${reason}",model_name="${extras.model}"`,
      count,
    ]),
  );
  const finished = reasons.reduce((sum, [, count]) => sum + count, 0);
  histogram("time_to_first_token_seconds", extras.queueMs, finished);
  histogram("request_queue_time_seconds", extras.queueMs, finished);
  histogram("e2e_request_latency_seconds", extras.latencyMs, finished);
  return `${lines.join("\n")}\n`;
}
