import { ForkGymError } from "../../core/errors.ts";

/** What went wrong with a server: for counting, for circuits, and for people. */
export type ServerFault =
  | "unreachable"
  | "timeout"
  | "overloaded"
  | "refused"
  | "server-error"
  | "cut"
  | "malformed"
  | "aborted-by-server"
  /** Sampled with other weights than were announced, or with older ones than this server has shown before. */
  | "stale-weights";

/** A model server did not give a usable reply. It costs the branch that asked, not the run. */
export class ServerError extends ForkGymError {
  override readonly name = "ServerError";
  readonly fault: ServerFault;
  /** HTTP status, if there was an answer. */
  readonly status: number | undefined;
  /** When to come back, in milliseconds, if the server said so. */
  readonly retryAfterMs: number | undefined;

  constructor(
    fault: ServerFault,
    message: string,
    options: { readonly status?: number; readonly retryAfterMs?: number; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.fault = fault;
    this.status = options.status;
    this.retryAfterMs = options.retryAfterMs;
  }
}
