import { systemClock } from "../../../core/clock.ts";
import { ForkGymError, InputError } from "../../../core/errors.ts";
import { ServerError } from "../errors.ts";
import { tell } from "../metrics/metered.ts";
import * as metrics from "../metrics/metrics.ts";
import type { ModelServer, Sample, SampleRequest } from "../model-server.ts";
import { Call } from "./call.ts";
import { outcomeOf } from "./circuit.ts";
import type { Endpoint } from "./endpoint.ts";
import { endpointsOf, type PoolOptions } from "./options.ts";
import { FairQueue } from "./queue.ts";
import { type Next, Router } from "./router.ts";
import type { PoolStats } from "./stats.ts";
import { systemTimer } from "./timer.ts";
import { TreeBook } from "./trees.ts";
import { Wake } from "./wake.ts";
import { WeightRule } from "./weights.ts";

/** Several servers of one model as one. */
export interface ServerPool extends ModelServer {
  stats(): PoolStats;
  /**
   * Sends nothing more to this endpoint; resolves when what is under way there is done. Its trees go elsewhere.
   * @throws {InputError} (as a rejection) if there is no such endpoint
   * Rejects with a ForkGymError if it is undrained before.
   */
  drain(endpoint: string): Promise<void>;
  /** Takes the endpoint up again, with whatever weights it now has. @throws {InputError} if there is no such endpoint */
  undrain(endpoint: string): void;
  /**
   * From now on every sample must be of these weights, else it is a `stale-weights` failure; undefined takes that back.
   * An endpoint that then shows other weights gets nothing as long as another fits: call this again, or `undrain`, once
   * it has them. Either way what endpoints showed before no longer counts, which a rollback to older weights needs.
   */
  expectWeights(version: string | undefined): void;
}

/**
 * A pool of endpoints. A request goes to its task's endpoint (by `affinity`), so that its prefix is cached there, and
 * elsewhere only if that one is down, drained or has a long queue. Trees take turns. An endpoint that fails is left
 * alone for a while (see {@link PoolOptions}). Nothing is sent twice: a request that failed has failed.
 *
 * `sample` rejects with the ServerError of the endpoint; or with one of the pool's own: `timeout` or `unreachable` if
 * it waited too long, `stale-weights` for a sample of others than the expected weights, `refused` for one that its tree
 * may not mix with others, `unreachable` after `close`.
 * `close` ends what waits and what is under way, and closes the servers.
 * @throws {InputError} for an option out of bounds, or two endpoints of one name
 */
export function serverPool(options: PoolOptions): ServerPool {
  return new Pool(options);
}

class Pool implements ServerPool {
  readonly name: string;
  readonly tokenExact: boolean;
  readonly provider?: string;
  readonly model?: string;
  readonly #options: PoolOptions;
  readonly #now: () => number;
  readonly #endpoints: readonly Endpoint[];
  readonly #trees: TreeBook;
  readonly #weights: WeightRule;
  readonly #queue: FairQueue;
  readonly #router: Router;
  readonly #wake: Wake;
  readonly #calls = new Set<Call>();
  readonly #queueTimeoutMs: number;
  readonly #healthTimeoutMs: number;
  readonly #checks = new Map<Endpoint, { readonly until: number; readonly controller: AbortController }>();
  readonly #counts = { overflowed: 0, timedOut: 0, takenBack: 0, versionsRefused: 0 };
  #pumping = false;
  #again = false;
  #closed = false;
  #closing: Promise<void> | undefined;

  constructor(options: PoolOptions) {
    const clock = options.clock ?? systemClock;
    this.#options = options;
    this.#now = () => clock.now();
    this.#endpoints = endpointsOf(options, clock);
    this.#queueTimeoutMs = options.queueTimeoutMs ?? 600_000;
    this.#healthTimeoutMs = options.healthTimeoutMs ?? 5000;
    this.#trees = new TreeBook(this.#endpoints, options.rememberTrees ?? 100_000);
    this.#weights = new WeightRule(options.mixedVersions ?? "refuse");
    this.#queue = new FairQueue((tree) => this.#router.homeOf(tree, this.#now()));
    this.#router = new Router(this.#endpoints, this.#queue, this.#weights);
    this.#wake = new Wake(options.timer ?? systemTimer, () => this.#pump());
    this.name = `pool of ${this.#endpoints.length}: ${this.#endpoints.map(({ id }) => id).join(", ")}`;
    const servers = this.#endpoints.map(({ server }) => server);
    this.tokenExact = servers.every(({ tokenExact }) => tokenExact);
    for (const fact of ["provider", "model"] as const) {
      const { [fact]: first } = servers[0]!;
      if (first !== undefined && servers.every(({ [fact]: each }) => each === first)) this[fact] = first;
    }
  }

  sample(request: SampleRequest, signal?: AbortSignal): Promise<Sample> {
    return new Promise((resolve, reject) => {
      if (this.#closed) throw new ServerError("unreachable", "pool: it is closed");
      signal?.throwIfAborted();
      const tree = this.#trees.of(request);
      const onAbort = (call: Call) => this.#takeBack(call);
      const call = new Call({ tree, request, askedAt: this.#now(), signal, onAbort, resolve, reject });
      this.#calls.add(call);
      this.#queue.add(call);
      this.#pump();
    });
  }

  stats(): PoolStats {
    const now = this.#now();
    const { expected } = this.#weights;
    return {
      endpoints: this.#endpoints.map((endpoint) => endpoint.stats(now, this.#queue.waitingFor(endpoint))),
      inFlight: this.#endpoints.reduce((sum, { inFlight }) => sum + inFlight, 0),
      queued: this.#queue.size,
      ...this.#counts,
      ...(expected !== undefined && { expectedWeights: expected }),
    };
  }

  async drain(endpoint: string): Promise<void> {
    const drained = this.#find(endpoint).drain();
    this.#pump();
    await drained;
  }

  undrain(endpoint: string): void {
    this.#find(endpoint).undrain(new ForkGymError(`pool: \`${endpoint}\` was undrained before it was empty`));
    this.#router.changed();
    this.#pump();
  }

  expectWeights(version: string | undefined): void {
    this.#weights.expected = version;
    for (const endpoint of this.#endpoints) endpoint.forgetWeights();
    this.#router.changed();
    this.#pump();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#closed = true;
    this.#wake.cancel();
    const reason = new ServerError("unreachable", "pool: it was closed");
    for (const call of this.#calls) {
      this.#queue.remove(call);
      call.stop(reason);
    }
    for (const { controller } of this.#checks.values()) controller.abort(reason);
    this.#gauge();
    const closed = await Promise.allSettled(this.#endpoints.map(({ server }) => server.close()));
    for (const result of closed) if (result.status === "rejected") throw result.reason;
  }

  /** Does all that can be done now, and sees to being called when more can be. Called after every change. */
  #pump(): void {
    this.#again = true;
    if (this.#pumping) return;
    this.#pumping = true;
    while (this.#again && !this.#closed) {
      this.#again = false;
      const now = this.#now();
      this.#checkHealth(now);
      this.#router.look(now);
      for (let next = this.#router.next(now); next !== undefined; next = this.#router.next(now)) {
        this.#send(next, now);
      }
      this.#expire(now);
    }
    this.#pumping = false;
    if (this.#closed) return;
    this.#gauge();
    this.#setAlarm();
  }

  #send({ tree, endpoint, overflow }: Next, now: number): void {
    const hopeless = this.#weights.hopeless(tree);
    if (overflow && this.#options.overflowStays === true) tree.stays = endpoint;
    const call = this.#queue.take(tree);
    if (hopeless !== undefined) {
      this.#counts.versionsRefused++;
      this.#settle(call, () => call.reject(hopeless));
      return;
    }
    if (overflow) this.#counts.overflowed++;
    const { meter, onSpan } = this.#options;
    meter?.observe(metrics.QUEUE_WAIT, {}, (now - call.askedAt) / 1000);
    const attributes = {
      endpoint: endpoint.id,
      overflow,
      ...(call.request.affinity !== undefined && { affinity: call.request.affinity }),
    };
    tell(onSpan, { name: "model.queue", startMs: call.askedAt, endMs: now, attributes });
    // Whoever is told of spans may have taken the call back.
    if (!call.settled) void this.#run(call, endpoint);
  }

  /** Sends the call. The place is held until the server is done with it, even if the caller no longer waits. */
  async #run(call: Call, endpoint: Endpoint): Promise<void> {
    const { tree, request, controller } = call;
    const ticket = endpoint.circuit.begin();
    endpoint.began();
    tree.inFlight++;
    try {
      const sample = await endpoint.server.sample(request, controller.signal);
      endpoint.circuit.end(ticket, "answer", this.#now());
      if (endpoint.answered(sample.weightVersion)) this.#router.changed();
      const refused = call.settled ? undefined : this.#weights.judge(tree, sample, endpoint);
      if (refused !== undefined) this.#counts.versionsRefused++;
      this.#settle(call, () => (refused === undefined ? call.resolve(sample) : call.reject(refused)));
    } catch (error) {
      const told = error instanceof ServerError && !controller.signal.aborted ? error : undefined;
      const outcome = told === undefined ? "neither" : outcomeOf(told);
      endpoint.circuit.end(ticket, outcome, this.#now(), told?.retryAfterMs);
      endpoint.failed(error, controller.signal);
      this.#settle(call, () => call.reject(error));
    }
    tree.inFlight--;
    this.#pump();
  }

  #settle(call: Call, how: () => void): void {
    this.#calls.delete(call);
    how();
  }

  /** The caller no longer waits. */
  #takeBack(call: Call): void {
    if (call.tree.waiting.has(call)) {
      this.#counts.takenBack++;
      this.#queue.remove(call);
    }
    this.#calls.delete(call);
    this.#pump();
  }

  #expire(now: number): void {
    for (let call = this.#queue.oldest; call !== undefined; call = this.#queue.oldest) {
      if (now - call.askedAt < this.#queueTimeoutMs) return;
      const fault = this.#endpoints.some((endpoint) => endpoint.isUp(now)) ? "timeout" : "unreachable";
      const states = this.#endpoints.map((endpoint) => endpoint.describe(now)).join("; ");
      const error = new ServerError(fault, `pool: no place within ${this.#queueTimeoutMs} ms (${states})`);
      const late = call;
      this.#counts.timedOut++;
      this.#queue.remove(late);
      this.#settle(late, () => late.reject(error));
    }
  }

  #checkHealth(now: number): void {
    for (const { until, controller } of this.#checks.values()) {
      if (now >= until) controller.abort(new ServerError("timeout", "pool: the health check took too long"));
    }
    for (const endpoint of this.#endpoints) {
      if (endpoint.health !== undefined && endpoint.wantsProbe(now))
        void this.#check(endpoint, endpoint.health, now);
    }
  }

  async #check(endpoint: Endpoint, health: NonNullable<Endpoint["health"]>, now: number): Promise<void> {
    const ticket = endpoint.circuit.begin();
    const controller = new AbortController();
    this.#checks.set(endpoint, { until: now + this.#healthTimeoutMs, controller });
    const cut = new Promise<never>((_, reject) => {
      controller.signal.addEventListener("abort", () => reject(controller.signal.reason), { once: true });
    });
    try {
      await Promise.race([health(controller.signal), cut]);
      endpoint.circuit.healthy(ticket);
    } catch {
      endpoint.circuit.end(ticket, "fault", this.#now());
    }
    this.#checks.delete(endpoint);
    this.#pump();
  }

  /** Wakes for the first wait that gets too long, check that does, or endpoint that may be asked again. */
  #setAlarm(): void {
    let at = Number.POSITIVE_INFINITY;
    for (const { until } of this.#checks.values()) at = Math.min(at, until);
    const { oldest } = this.#queue;
    if (oldest !== undefined) {
      const now = this.#now();
      at = Math.min(at, oldest.askedAt + this.#queueTimeoutMs);
      for (const { circuit } of this.#endpoints)
        if (circuit.readyAt > now) at = Math.min(at, circuit.readyAt);
    }
    this.#wake.by(at, this.#now());
  }

  #gauge(): void {
    this.#options.meter?.set(metrics.QUEUED, {}, this.#queue.size);
  }

  #find(id: string): Endpoint {
    const found = this.#endpoints.find((endpoint) => endpoint.id === id);
    if (found !== undefined) return found;
    const known = this.#endpoints.map((endpoint) => endpoint.id).join(", ");
    throw new InputError(`pool: there is no endpoint \`${id}\`; there are ${known}`);
  }
}
