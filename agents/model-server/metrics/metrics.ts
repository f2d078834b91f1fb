import type { Metric } from "./meter.ts";

const SECONDS = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300];

/** Labels: endpoint. Of what weights a sample is, spans and records say: a label would make a series of each version. */
export const SAMPLES: Metric = {
  name: "forkgym_model_samples_total",
  kind: "counter",
  help: "Replies that a model server gave.",
};

/** Labels: endpoint, fault: a ServerFault, `aborted` by the caller, or `other`. */
export const FAILURES: Metric = {
  name: "forkgym_model_failures_total",
  kind: "counter",
  help: "Requests to a model server that gave no reply, by cause.",
};

/** Labels: endpoint. */
export const PROMPT_TOKENS: Metric = {
  name: "forkgym_model_prompt_tokens_total",
  kind: "counter",
  help: "Tokens of prompts, cached ones included.",
};

/** Labels: endpoint. */
export const CACHED_TOKENS: Metric = {
  name: "forkgym_model_cached_tokens_total",
  kind: "counter",
  help: "Tokens of prompts that the server had in its cache, where it says so.",
};

/** Labels: endpoint. */
export const GENERATED_TOKENS: Metric = {
  name: "forkgym_model_generated_tokens_total",
  kind: "counter",
  help: "Tokens that a model server sampled.",
};

/** Labels: endpoint. Failures count too, the caller's aborts do not. */
export const LATENCY: Metric = {
  name: "forkgym_model_latency_seconds",
  kind: "histogram",
  help: "From sending a request to its reply or failure.",
  buckets: SECONDS,
};

/** Labels: endpoint. */
export const IN_FLIGHT: Metric = {
  name: "forkgym_model_in_flight",
  kind: "gauge",
  help: "Requests under way.",
};

/** No labels. */
export const QUEUED: Metric = {
  name: "forkgym_pool_queued",
  kind: "gauge",
  help: "Requests that wait for a place at an endpoint.",
};

/** No labels. Requests that left the queue without being sent do not count. */
export const QUEUE_WAIT: Metric = {
  name: "forkgym_pool_wait_seconds",
  kind: "histogram",
  help: "From asking the pool to sending the request.",
  buckets: SECONDS,
};
