import type { Timer } from "../../../../agents/model-server/pool/timer.ts";
import type { Clock } from "../../../../core/clock.ts";

/** A clock that stands still until it is told to go on, and the timer that belongs to it. */
export class VirtualTime {
  #now = 0;
  readonly #due = new Set<{ readonly at: number; readonly run: () => void }>();
  readonly clock: Clock = { now: () => this.#now };
  readonly timer: Timer = (ms, run) => {
    const entry = { at: this.#now + ms, run };
    this.#due.add(entry);
    return () => this.#due.delete(entry);
  };

  get now(): number {
    return this.#now;
  }

  /** How many timers are set. */
  get timers(): number {
    return this.#due.size;
  }

  /** Goes on by `ms`; what falls due runs in order, each after everything before it has come to rest. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settle();
    for (let next = this.#first(); next !== undefined && next.at <= end; next = this.#first()) {
      this.#now = Math.max(this.#now, next.at);
      this.#due.delete(next);
      next.run();
      await settle();
    }
    this.#now = end;
  }

  #first(): { readonly at: number; readonly run: () => void } | undefined {
    return [...this.#due].sort((a, b) => a.at - b.at)[0];
  }
}

/** Lets everything run that waits for nothing but promises. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
