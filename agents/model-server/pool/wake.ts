import type { Timer } from "./timer.ts";

/** One alarm. It may ring early (it is moved only when it would ring too late), never late. */
export class Wake {
  readonly #timer: Timer;
  readonly #ring: () => void;
  #at = Number.POSITIVE_INFINITY;
  #cancel: (() => void) | undefined;

  constructor(timer: Timer, ring: () => void) {
    this.#timer = timer;
    this.#ring = ring;
  }

  /** Rings by `at`; with Infinity, not at all. */
  by(at: number, now: number): void {
    if (at >= this.#at && at < Number.POSITIVE_INFINITY) return;
    this.cancel();
    if (at === Number.POSITIVE_INFINITY) return;
    this.#at = at;
    // A timer may fire a little before the clock says so; at least 1 ms, so that it does not spin then.
    this.#cancel = this.#timer(Math.max(1, Math.ceil(at - now)), () => {
      this.#cancel = undefined;
      this.#at = Number.POSITIVE_INFINITY;
      this.#ring();
    });
  }

  cancel(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#at = Number.POSITIVE_INFINITY;
  }
}
