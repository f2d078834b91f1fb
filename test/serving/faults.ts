import { NEVER, type SampledReply } from "./sampling.ts";

/** One way to misbehave. What is in the reply changes in the model's routes; the rest in every route but the metrics. */
export type ModelFault =
  /** The answer comes so much later. */
  | { readonly kind: "slow"; readonly ms: number }
  /** 429. @default retryAfterS no Retry-After header */
  | { readonly kind: "too-many-requests"; readonly retryAfterS?: number }
  /** 500 with an error in JSON. */
  | { readonly kind: "server-error" }
  /** 502 with a proxy's page in HTML. */
  | { readonly kind: "html" }
  /** The request is read and never answered. */
  | { readonly kind: "no-reply" }
  /** The connection is closed before the answer, or when half of the body is out. */
  | { readonly kind: "cut-before" }
  | { readonly kind: "cut-body" }
  /** The last quarter of the JSON is missing, and the length is right. */
  | { readonly kind: "bad-json" }
  /** The right body as text/plain. */
  | { readonly kind: "content-type" }
  /** So many bytes of blanks before the body's end. */
  | { readonly kind: "huge-body"; readonly bytes: number }
  /** The body is another; for fuzzing. */
  | { readonly kind: "body"; readonly change: (body: string) => string | Uint8Array }
  /** NaN, as Python writes it, in place of the first log-probability. */
  | { readonly kind: "nan-logprobs" }
  /** null in place of the first log-probability, or of all of them. */
  | { readonly kind: "null-logprob" }
  | { readonly kind: "no-logprobs" }
  /** -9999, as vLLM writes NaN and minus infinity, in place of the first log-probability. */
  | { readonly kind: "floor-logprob" }
  /** One log-probability too few. */
  | { readonly kind: "uneven-logprobs" }
  /** One choice too few: with n = 1, none. */
  | { readonly kind: "fewer-choices" }
  /** The text ends half way, as at a stop string; the ids do not. */
  | { readonly kind: "text-cut" }
  /** The prompt was sampled from with one token more at its start. */
  | { readonly kind: "changed-prompt" }
  | { readonly kind: "finish-reason"; readonly value: string }
  /** The server gave up half way. */
  | { readonly kind: "abort" }
  /** Other weights than the server says it has. */
  | { readonly kind: "stale-weights"; readonly version: string };

/** A request as a plan of faults sees it. */
export interface FaultRequest {
  /** Counted from 0 over all requests but those for health and metrics. */
  readonly number: number;
  readonly path: string;
  /** What the client sent, as JSON. */
  readonly body: unknown;
}

/** A fault for every request, one for each in order and then none, or a choice by request. */
export type FaultPlan =
  | ModelFault
  | readonly (ModelFault | undefined)[]
  | ((request: FaultRequest) => ModelFault | undefined);

/** One of each kind, for tests that go through all; `body` is left out. */
export const modelFaults: readonly ModelFault[] = [
  { kind: "slow", ms: 20 },
  { kind: "too-many-requests", retryAfterS: 1 },
  { kind: "server-error" },
  { kind: "html" },
  { kind: "no-reply" },
  { kind: "cut-before" },
  { kind: "cut-body" },
  { kind: "bad-json" },
  { kind: "content-type" },
  { kind: "huge-body", bytes: 256 * 1024 * 1024 },
  { kind: "nan-logprobs" },
  { kind: "null-logprob" },
  { kind: "no-logprobs" },
  { kind: "floor-logprob" },
  { kind: "uneven-logprobs" },
  { kind: "fewer-choices" },
  { kind: "text-cut" },
  { kind: "changed-prompt" },
  { kind: "finish-reason", value: "confused" },
  { kind: "abort" },
  { kind: "stale-weights", version: "stale" },
];

export function faultFor(plan: FaultPlan | undefined, request: FaultRequest): ModelFault | undefined {
  if (typeof plan === "function") return plan(request);
  return plan !== undefined && "kind" in plan ? plan : plan?.[request.number];
}

/** The reply as the fault has it. */
export function faultyReply(reply: SampledReply, fault: ModelFault | undefined): SampledReply {
  const { tokenIds, logprobs, text, top } = reply;
  const half = Math.ceil(tokenIds.length / 2);
  switch (fault?.kind) {
    case "nan-logprobs":
      return { ...reply, logprobs: [Number.NaN, ...(logprobs ?? []).slice(1)] };
    case "null-logprob":
      return { ...reply, logprobs: [null, ...(logprobs ?? []).slice(1)] };
    case "floor-logprob":
      return { ...reply, logprobs: [NEVER, ...(logprobs ?? []).slice(1)] };
    case "no-logprobs":
      return { ...reply, logprobs: null };
    case "uneven-logprobs":
      return { ...reply, logprobs: logprobs?.slice(0, -1) ?? null, top: top.slice(0, -1) };
    case "text-cut": {
      const cut = Math.floor(text.length / 2);
      return {
        ...reply,
        text: text.slice(0, cut),
        finishReason: "stop",
        stopReason: text.slice(cut, cut + 1),
      };
    }
    case "finish-reason":
      return { ...reply, finishReason: fault.value };
    case "abort":
      return {
        tokenIds: tokenIds.slice(0, half),
        logprobs: logprobs?.slice(0, half) ?? null,
        top: top.slice(0, half),
        text: text.slice(0, half),
        finishReason: "abort",
        stopReason: null,
      };
    default:
      return reply;
  }
}
