/** Time for the test server: the real one, or a test's own. */
export interface ServerTimer {
  /** Milliseconds, never going back. */
  now(): number;
  /** Runs `then` after `ms`; the result calls it off. */
  after(ms: number, then: () => void): () => void;
}

export const realTimer: ServerTimer = {
  now: () => performance.now(),
  after: (ms, then) => {
    const timer = setTimeout(then, ms);
    return () => clearTimeout(timer);
  },
};

/** What generating costs. */
export interface EngineCost {
  /** Sequences that run at once. */
  readonly slots: number;
  /** Milliseconds a step, in which every running sequence gets one token. */
  readonly msPerStep: number;
  /** Milliseconds for 1,000 prompt tokens that are not cached; nothing else runs meanwhile. */
  readonly msPer1kPrefill: number;
}

/** One sequence to generate. */
export interface Job {
  /** Tokens that it gets, from 1. */
  readonly tokens: number;
  /** It gets its slot; gives the prompt tokens to compute. */
  start(): number;
  finish(): void;
}

interface Sequence {
  readonly job: Job;
  readonly arrived: number;
  left: number;
}

/** Time in which the set of running sequences stays as it is. */
interface Segment {
  readonly start: number;
  readonly prefillMs: number;
  steps: number;
  callOff: () => void;
}

/**
 * Continuous batching: first come, first served, for the slots there are. It keeps to its own timetable, so that
 * a timer that fires late makes the answer late but not the engine slower.
 */
export class Engine {
  readonly #cost: EngineCost;
  readonly #timer: ServerTimer;
  readonly #running = new Set<Sequence>();
  readonly #waiting = new Set<Sequence>();
  #segment: Segment | undefined;
  #busySlotMs = 0;
  generatedTokens = 0;

  constructor(cost: EngineCost, timer: ServerTimer) {
    this.#cost = cost;
    this.#timer = timer;
  }

  get running(): number {
    return this.#running.size;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Slots times milliseconds in which they were taken, up to now. */
  get busySlotMs(): number {
    const segment = this.#segment;
    if (segment === undefined) return this.#busySlotMs;
    const ms = Math.min(this.#timer.now() - segment.start, this.#length(segment));
    return this.#busySlotMs + this.#running.size * ms;
  }

  /** Queues a job; the result ends it at the next step, without its `finish`. */
  add(job: Job): () => void {
    const sequence: Sequence = { job, arrived: this.#timer.now(), left: job.tokens };
    this.#waiting.add(sequence);
    if (this.#segment === undefined) this.#run(sequence.arrived);
    else if (this.#running.size < this.#cost.slots) this.#shorten(this.#segment);
    return () => {
      if (this.#waiting.delete(sequence)) return;
      if (!this.#running.has(sequence) || this.#segment === undefined) return;
      this.#shorten(this.#segment);
      sequence.left = -1;
    };
  }

  stop(): void {
    this.#segment?.callOff();
    this.#segment = undefined;
    this.#running.clear();
    this.#waiting.clear();
  }

  /** Goes on from `at`, as far as the time is ripe. */
  #run(at: number): void {
    for (;;) {
      const computed = this.#admit(at);
      if (this.#running.size === 0) {
        const [next] = this.#waiting;
        if (next === undefined) return;
        at = next.arrived;
        continue;
      }
      const steps = Math.min(...[...this.#running].map(({ left }) => left));
      const prefillMs = (computed * this.#cost.msPer1kPrefill) / 1000;
      const segment: Segment = { start: at, prefillMs, steps, callOff: () => {} };
      const end = at + this.#length(segment);
      if (end > this.#timer.now()) {
        this.#segment = segment;
        this.#schedule(segment);
        return;
      }
      this.#end(segment);
      at = end;
    }
  }

  #admit(at: number): number {
    let computed = 0;
    for (const sequence of this.#waiting) {
      if (this.#running.size >= this.#cost.slots || sequence.arrived > at) break;
      this.#waiting.delete(sequence);
      this.#running.add(sequence);
      computed += sequence.job.start();
    }
    return computed;
  }

  #schedule(segment: Segment): void {
    const end = segment.start + this.#length(segment);
    segment.callOff = this.#timer.after(Math.max(0, end - this.#timer.now()), () => {
      this.#segment = undefined;
      this.#end(segment);
      this.#run(end);
    });
  }

  /** Somebody came or went: the segment ends with the step that is under way. */
  #shorten(segment: Segment): void {
    if (this.#cost.msPerStep === 0) return;
    const decoding = this.#timer.now() - segment.start - segment.prefillMs;
    const steps = Math.max(1, Math.ceil(decoding / this.#cost.msPerStep));
    if (steps >= segment.steps) return;
    segment.callOff();
    segment.steps = steps;
    this.#schedule(segment);
  }

  #length({ prefillMs, steps }: Segment): number {
    return prefillMs + steps * this.#cost.msPerStep;
  }

  #end(segment: Segment): void {
    this.#busySlotMs += this.#running.size * this.#length(segment);
    for (const sequence of this.#running) {
      this.generatedTokens += segment.steps;
      const ended = sequence.left < 0;
      sequence.left -= segment.steps;
      if (sequence.left > 0) continue;
      this.#running.delete(sequence);
      if (!ended) sequence.job.finish();
    }
  }
}
