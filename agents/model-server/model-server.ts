import type { Message } from "../../core/dialogue.ts";

/** What is asked of a server: one reply. Numbers are sent as they are; nothing is left to the server's defaults. */
export interface SampleRequest {
  /** The prompt as tokens; a token-exact server needs it. */
  readonly promptTokenIds?: readonly number[];
  /** The prompt as messages; a server that is not token-exact needs it. */
  readonly messages?: readonly Message[];
  /** Most tokens of the reply, from 1. */
  readonly maxTokens: number;
  /** From 0 up. */
  readonly temperature: number;
  /** From 0 (not included) to 1. */
  readonly topP: number;
  /** From 1 up; -1 for all. */
  readonly topK: number;
  /** A whole number from 0, below 2^31. */
  readonly seed: number;
  /** Tokens that end the reply; the one that does is the reply's last. */
  readonly stopTokenIds: readonly number[];
  /** Log-probabilities of so many alternatives a token, from 0. */
  readonly topLogprobs: number;
  /** Requests whose prompts begin alike share it, those of one task, so that they can go where their prefix is cached. */
  readonly affinity?: string;
  /** The tree that it is for: its turn and its weights are its own. @default the affinity */
  readonly tree?: string;
}

/** One reply, whoever served it. */
export interface Sample {
  /** What the server saw and what it sampled; absent where the server is not token-exact. */
  readonly promptTokenIds?: readonly number[];
  readonly tokenIds?: readonly number[];
  /** Natural logs, one for each of `tokenIds`. */
  readonly logprobs?: readonly number[];
  /** Natural logs of the likeliest tokens at each place, the sampled one not necessarily among them. */
  readonly topLogprobs?: readonly (readonly number[])[];
  /** The tokens that `topLogprobs` are of, place by place in the same order; absent where the server does not say. */
  readonly topTokenIds?: readonly (readonly number[])[];
  readonly text: string;
  readonly finishReason: "stop" | "length" | "abort";
  /** The token or text that stopped it. */
  readonly stopReason?: number | string;
  readonly promptTokens: number;
  readonly generatedTokens: number;
  /** Prompt tokens that came from the server's cache; absent where it does not say. */
  readonly cachedTokens?: number;
  /** Of the weights that sampled it; absent where the server does not say. */
  readonly weightVersion?: string;
  /** Base URL of the server that answered. */
  readonly endpoint: string;
}

/** A server of a model. A call is one request: it is never repeated, for that would be another sample. */
export interface ModelServer {
  /** Kind and model, for example `vllm Qwen/Qwen3-0.6B`. */
  readonly name: string;
  /** Whether prompts go in and replies come out as tokens; else a run says that it is not. */
  readonly tokenExact: boolean;
  /** What serves it, for example `vllm`; absent if there are several. */
  readonly provider?: string;
  /** The model's name, as the server knows it; absent if there are several. */
  readonly model?: string;
  /** Base URL, without credentials and without a slash at its end; absent if there are several. */
  readonly url?: string;
  /**
   * @throws {ServerError} if there is no answer, or none that makes sense; says which.
   * Rejects with the signal's reason as soon as it aborts, and the server is told by closing the connection.
   */
  sample(request: SampleRequest, signal?: AbortSignal): Promise<Sample>;
  /** Resolves if the server says that it is well. @throws {ServerError} if it does not, or does not answer. */
  health?(signal?: AbortSignal): Promise<void>;
  /**
   * What the server showed of its weights no longer counts, so that older ones may follow. A server that has this
   * refuses a sample of older weights than it showed before (see `freshOnly`).
   */
  forgetWeights?(): void;
  /** Ends what is under way and the connections. */
  close(): Promise<void>;
}
