import { InputError } from "../../core/errors.ts";
import type { Json } from "../../core/json.ts";
import type { ServerFault } from "./errors.ts";
import type { Sample } from "./model-server.ts";

/** A request that failed before another was made in its place. */
export interface FailedAttempt {
  readonly seed: number;
  readonly fault: ServerFault;
  readonly message: string;
}

/** What `Decision.sample` holds of a reply: a branch's tokens can be put together again from those on its path. */
export interface SampleRecord {
  readonly text: string;
  /** Tokens between the reply before and this one: given, not sampled. Token-exact servers only, as the next two. */
  readonly promptDelta?: readonly number[];
  readonly tokenIds?: readonly number[];
  /** Natural logs, one for each of `tokenIds`. */
  readonly logprobs?: readonly number[];
  readonly finishReason: Sample["finishReason"];
  readonly stopReason?: number | string;
  readonly weightVersion?: string;
  readonly endpoint: string;
  readonly seed: number;
  /** Requests that it took, from 1. */
  readonly attempts: number;
  readonly failed?: readonly FailedAttempt[];
}

/** A turn's record, if it was a model's. @throws {InputError} if it was another policy's; `turn` is for the message. */
export function sampleRecordOf(sample: Json | undefined, turn: number): SampleRecord {
  const record = sample as unknown as SampleRecord | undefined;
  if (typeof record?.text === "string") return record;
  throw new InputError(
    `model policy: turn ${turn} has no sample of a model, so the conversation cannot go on`,
  );
}
