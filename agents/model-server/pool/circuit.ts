import type { Rng } from "../../../core/rng.ts";
import type { ServerError, ServerFault } from "../errors.ts";

export interface CircuitOptions {
  /** Faults in a row that open it, from 1. @default 3 */
  readonly openAfter?: number;
  /** Milliseconds that it stays open the first time; doubled each further time until a sample succeeds. @default 1000 */
  readonly backOffMs?: number;
  /** Most milliseconds that it stays open, unless the server asked for more, up to a minute. @default 30000 */
  readonly backOffMaxMs?: number;
  /** Draws a share from 1/2 to 1 of each back-off, so that several runs do not come back together. @default none: all of it */
  readonly rng?: Rng;
}

/** A server that asks for more is asked again then: as often as not it names the end of a quota, not of its trouble. */
const LONGEST_HOLD_MS = 60_000;

/** A fault that speaks of the endpoint and not of the request. */
const OF_ENDPOINT: ReadonlySet<ServerFault> = new Set([
  "unreachable",
  "timeout",
  "overloaded",
  "server-error",
  "cut",
  "stale-weights",
]);

/** How a request ended, as a circuit sees it. `neither`: it was taken back, or failed in a way that does not tell. */
export type Outcome = "answer" | "fault" | "neither";

/** What a server's failure says of its endpoint. */
export function outcomeOf({ fault }: ServerError): Outcome {
  return OF_ENDPOINT.has(fault) ? "fault" : "neither";
}

/**
 * Says when an endpoint may be asked. Closed: always. Open: not before the back-off is over. Then half-open: one
 * probe at a time; an answer closes it, a fault opens it again for twice as long. Requests that were sent before it
 * last opened do not move it. A pure state machine: time comes in by argument.
 */
export class Circuit {
  readonly #openAfter: number;
  readonly #backOffMs: number;
  readonly #backOffMaxMs: number;
  readonly #rng: Rng | undefined;
  #failures = 0;
  #opened = 0;
  #openUntil: number | undefined;
  #heldUntil = Number.NEGATIVE_INFINITY;
  #probing = false;
  #epoch = 0;

  constructor({ openAfter = 3, backOffMs = 1000, backOffMaxMs = 30_000, rng }: CircuitOptions = {}) {
    this.#openAfter = openAfter;
    this.#backOffMs = backOffMs;
    this.#backOffMaxMs = backOffMaxMs;
    this.#rng = rng;
  }

  /** `held`: closed, but the server asked to be left alone for a while. */
  state(now: number): "closed" | "held" | "open" | "half-open" {
    if (this.#openUntil === undefined) return now < this.#heldUntil ? "held" : "closed";
    return now < this.readyAt ? "open" : "half-open";
  }

  /** When an endpoint that is open or held may be asked again; in the past for one that may be asked now. */
  get readyAt(): number {
    return Math.max(this.#openUntil ?? Number.NEGATIVE_INFINITY, this.#heldUntil);
  }

  get failuresInARow(): number {
    return this.#failures;
  }

  /** Whether it is half-open and nobody probes it yet. */
  wantsProbe(now: number): boolean {
    return this.state(now) === "half-open" && !this.#probing;
  }

  /** A request or a health check is sent: the ticket is given back to {@link end}. */
  begin(): number {
    if (this.#openUntil !== undefined) this.#probing = true;
    return this.#epoch;
  }

  /** The request ended. `retryAfterMs`: the server asked to be left alone for so long. */
  end(ticket: number, outcome: Outcome, now: number, retryAfterMs?: number): void {
    if (retryAfterMs !== undefined && retryAfterMs > 0 && retryAfterMs < Number.POSITIVE_INFINITY) {
      this.#heldUntil = Math.max(this.#heldUntil, now + Math.min(retryAfterMs, LONGEST_HOLD_MS));
    }
    if (ticket !== this.#epoch) return;
    if (outcome === "neither") this.#probing = false;
    else if (outcome === "answer") this.#close(0);
    else {
      this.#failures++;
      if (this.#failures >= this.#openAfter) this.#open(now);
    }
  }

  /**
   * A health check ended well. The circuit closes on trial: a health route may answer where sampling fails, so the
   * next fault opens it again, and only a sample makes the back-off short again.
   */
  healthy(ticket: number): void {
    if (ticket === this.#epoch) this.#close(this.#openAfter - 1, this.#opened);
  }

  #open(now: number): void {
    const share = this.#rng === undefined ? 1 : (1 + this.#rng.next()) / 2;
    this.#openUntil = now + share * Math.min(this.#backOffMaxMs, this.#backOffMs * 2 ** this.#opened);
    this.#opened++;
    this.#probing = false;
    this.#epoch++;
  }

  #close(failures: number, opened = 0): void {
    this.#openUntil = undefined;
    this.#failures = failures;
    this.#opened = opened;
    this.#probing = false;
  }
}
