import type { Clock } from "../clock.ts";
import { ForkGymError } from "../errors.ts";
import { CLOSE_MS, type Following, following, type Limits, within } from "./limits.ts";

/** Stands for "nothing ends the waiting", which spares the hot path a listener a turn. */
const NEVER: Following = following(undefined);

/** How long one tree waits for what it asked for. Call `stop` when it is done. */
export class TreeTime {
  readonly #limits: Limits;
  readonly #clock: Clock;
  readonly #started: number;
  readonly #caller: AbortSignal;
  /** Aborts with the caller and at `treeMs`. */
  readonly #growing: Following;
  /** Aborts with the caller and `closeMs` later. */
  readonly #settling: Following;
  readonly #up: Error | undefined;

  constructor(limits: Limits, clock: Clock, signal: AbortSignal = NEVER.signal) {
    this.#limits = limits;
    this.#clock = clock;
    this.#started = clock.now();
    this.#caller = signal;
    const { treeMs, closeMs = CLOSE_MS } = limits;
    if (treeMs === undefined) {
      this.#growing = { signal, done: () => {} };
      this.#settling = this.#growing;
    } else {
      this.#up = new ForkGymError(`rollout: the tree took longer than ${treeMs} ms`);
      const last = new ForkGymError(`${this.#up.message}, and its outcomes ${closeMs} ms more`);
      this.#growing = following(signal, { ms: treeMs, reason: this.#up });
      this.#settling = following(signal, { ms: treeMs + closeMs, reason: last });
    }
  }

  get seconds(): number {
    return (this.#clock.now() - this.#started) / 1000;
  }

  get aborted(): boolean {
    return this.#caller.aborted;
  }

  /** Whether `treeMs` are over, by the clock or by the timer. */
  get over(): boolean {
    const { treeMs } = this.#limits;
    if (treeMs === undefined) return false;
    return this.#growing.signal.aborted || this.#clock.now() - this.#started >= treeMs;
  }

  /** Whether the tree is to grow no further. */
  get stopped(): boolean {
    return this.aborted || this.over;
  }

  /** Whether this is what a wait rejects with when `treeMs` are over. */
  isUp(error: unknown): boolean {
    return error !== undefined && error === this.#up;
  }

  /** Waits for `turnMs` at most, and until the tree's time is up or an abort. */
  wait<T>(what: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return this.#within(what, work, this.#growing.signal);
  }

  /** Waits for `turnMs` at most, and until `closeMs` after the tree's time is up or an abort. */
  waitOn<T>(what: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return this.#within(what, work, this.#settling.signal);
  }

  #within<T>(what: string, work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    const { turnMs } = this.#limits;
    if (turnMs === undefined && signal === NEVER.signal) return work(signal);
    return within(work, turnMs, signal, what);
  }

  stop(): void {
    this.#growing.done();
    this.#settling.done();
  }
}
