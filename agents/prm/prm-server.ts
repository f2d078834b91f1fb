import type { Json } from "../../core/json.ts";

/** A branch as a process reward model takes it. */
export interface PrmBranch {
  readonly problem: string;
  /** What was done, oldest first. */
  readonly steps: readonly string[];
}

/** The scores of a branch's steps, each from 0 to 1, the newest last; or why there are none. */
export type PrmResult = readonly number[] | { readonly unreadable: string };

export interface PrmReply {
  /** One for each branch, in order. */
  readonly results: readonly PrmResult[];
  readonly promptTokens: number;
  readonly cachedTokens?: number;
}

/** A process reward model. A call is one request. */
export interface PrmServer {
  readonly name: string;
  /**
   * Scores several branches at once. May leave out a branch's oldest steps if they do not fit.
   * @throws {ServerError} if there is no reply, or none that makes sense.
   */
  score(branches: readonly PrmBranch[], signal: AbortSignal): Promise<PrmReply>;
}

/**
 * Sends JSON to a path of the server by POST and gives the reply's JSON. Rejects with a {@link ServerError} if the
 * server fails, with the signal's reason if it aborts. It never sends twice.
 */
export type PostJson = (path: string, body: Json, signal: AbortSignal) => Promise<unknown>;
