import type { Clock } from "../../../core/clock.ts";
import { freshOnly } from "../fresh-only.ts";
import type { Meter } from "../metrics/meter.ts";
import { faultOf, metered, type OnSpan } from "../metrics/metered.ts";
import type { ModelServer } from "../model-server.ts";
import { Circuit, type CircuitOptions } from "./circuit.ts";
import type { EndpointStats } from "./stats.ts";

export interface EndpointOptions {
  readonly id: string;
  readonly server: ModelServer;
  readonly maxConcurrent: number;
  readonly overflowAt: number;
  readonly health: ((signal: AbortSignal) => Promise<unknown>) | undefined;
  readonly circuit: CircuitOptions;
  readonly meter: Meter | undefined;
  readonly onSpan: OnSpan | undefined;
  readonly clock: Clock;
}

/** One server of a pool: its places, its circuit, what is known of its weights, and its counts. */
export class Endpoint {
  readonly id: string;
  readonly server: ModelServer;
  readonly maxConcurrent: number;
  readonly overflowAt: number;
  readonly health: ((signal: AbortSignal) => Promise<unknown>) | undefined;
  readonly circuit: Circuit;
  inFlight = 0;
  #draining = false;
  #drains: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] = [];
  /** The weights of its last sample; absent if there was none, or they may have changed since. */
  weights: { readonly version: string | undefined } | undefined;
  /** It showed weights, or could have, before something after which they may be others. */
  mayHaveChanged = false;
  readonly #failures = new Map<string, number>();
  readonly #versions = new Map<string, number>();
  #requests = 0;

  constructor({
    id,
    server,
    maxConcurrent,
    overflowAt,
    health,
    circuit,
    meter,
    onSpan,
    clock,
  }: EndpointOptions) {
    this.id = id;
    const fresh = server.forgetWeights === undefined ? freshOnly(server) : server;
    this.server =
      meter === undefined && onSpan === undefined
        ? fresh
        : metered(fresh, { endpoint: id, clock, ...(meter && { meter }), ...(onSpan && { onSpan }) });
    this.maxConcurrent = maxConcurrent;
    this.overflowAt = overflowAt;
    this.health = health;
    this.circuit = new Circuit(circuit);
  }

  /** Its share of trees. */
  get weight(): number {
    return this.maxConcurrent;
  }

  get hasRoom(): boolean {
    return this.inFlight < this.maxConcurrent;
  }

  get load(): number {
    return this.inFlight / this.maxConcurrent;
  }

  get draining(): boolean {
    return this.#draining;
  }

  /** Whether trees may have their place here. A half-open endpoint takes a probe, not a tree. */
  isUp(now: number): boolean {
    return !this.#draining && this.circuit.state(now) === "closed";
  }

  /** Whether a probe should go to it now. It has a place for it: the fault that opened the circuit left one. */
  wantsProbe(now: number): boolean {
    return !this.#draining && this.circuit.wantsProbe(now);
  }

  began(): void {
    this.inFlight++;
    this.#requests++;
  }

  /** A request gave a sample. Returns whether it tells something new of the weights. */
  answered(version: string | undefined): boolean {
    this.#ended();
    const name = version ?? "unknown";
    this.#versions.set(name, (this.#versions.get(name) ?? 0) + 1);
    const news = this.weights === undefined || this.weights.version !== version;
    this.weights = { version };
    this.mayHaveChanged = false;
    return news;
  }

  failed(error: unknown, signal: AbortSignal): void {
    this.#ended();
    const fault = faultOf(error, signal);
    this.#failures.set(fault, (this.#failures.get(fault) ?? 0) + 1);
  }

  /** Resolves when nothing is under way here. */
  drain(): Promise<void> {
    this.#draining = true;
    if (this.inFlight === 0) return Promise.resolve();
    return new Promise((resolve, reject) => this.#drains.push({ resolve, reject }));
  }

  /** Whoever is down may come back with other weights. */
  wentDown(): void {
    this.weights = undefined;
    this.mayHaveChanged = true;
  }

  /** What it showed of its weights may be over. */
  forgetWeights(): void {
    this.wentDown();
    this.server.forgetWeights!();
  }

  /** `taken`: what those are told who still wait for the end of a drain. */
  undrain(taken: Error): void {
    this.#draining = false;
    this.forgetWeights();
    for (const drain of this.#drains.splice(0)) drain.reject(taken);
  }

  /** For people: what keeps requests from it. */
  describe(now: number): string {
    const { circuit } = this;
    const wait = `for another ${Math.ceil(circuit.readyAt - now)} ms`;
    const state = {
      closed: "up",
      held: `asked to be left alone ${wait}`,
      open: `circuit open ${wait} after ${circuit.failuresInARow} failed in a row`,
      "half-open": "being probed",
    }[circuit.state(now)];
    return `${this.id}: ${this.#draining ? "draining" : state}, ${this.inFlight} of ${this.maxConcurrent} under way`;
  }

  stats(now: number, queued: number): EndpointStats {
    const state = this.circuit.state(now);
    return {
      endpoint: this.id,
      state,
      draining: this.#draining,
      failuresInARow: this.circuit.failuresInARow,
      ...((state === "open" || state === "held") && { retryInMs: this.circuit.readyAt - now }),
      maxConcurrent: this.maxConcurrent,
      inFlight: this.inFlight,
      queued,
      requests: this.#requests,
      failures: Object.fromEntries(this.#failures),
      weightVersions: Object.fromEntries(this.#versions),
    };
  }

  #ended(): void {
    this.inFlight--;
    if (this.inFlight === 0) for (const drain of this.#drains.splice(0)) drain.resolve();
  }
}
