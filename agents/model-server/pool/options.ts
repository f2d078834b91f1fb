import { wholeFrom } from "../../../core/check.ts";
import type { Clock } from "../../../core/clock.ts";
import { InputError } from "../../../core/errors.ts";
import type { Meter } from "../metrics/meter.ts";
import type { OnSpan } from "../metrics/metered.ts";
import type { ModelServer } from "../model-server.ts";
import type { CircuitOptions } from "./circuit.ts";
import { Endpoint } from "./endpoint.ts";
import type { Timer } from "./timer.ts";

/** One endpoint of a pool. */
export interface PoolServer {
  readonly server: ModelServer;
  /** What `drain`, `stats` and metrics call it, for example its base URL. @default the server's name, with #2, #3 if taken */
  readonly endpoint?: string;
  /** Most requests under way at once, from 1. @default the pool's */
  readonly maxConcurrent?: number;
  /**
   * Resolves if the server is well. Asked instead of sending it a request when its back-off is over, and only
   * while requests come. @default the server's own; where it has none, the next request is the probe
   */
  readonly health?: (signal: AbortSignal) => Promise<unknown>;
}

export interface PoolOptions extends CircuitOptions {
  /** One or more, each its own endpoint. */
  readonly servers: readonly (ModelServer | PoolServer)[];
  /** Most requests under way at one endpoint, from 1. @default 64 */
  readonly maxConcurrent?: number;
  /**
   * Requests of a tree go elsewhere, to the least loaded endpoint with a free place, while more than this many wait
   * for the tree's own endpoint. From 0 (go as soon as it is full) up; Infinity for never.
   * @default half the endpoint's `maxConcurrent`: busy by more than 1.5 times what it can take, which is the relative
   * threshold of SGLang's cache-aware router (`--balance-rel-threshold 1.5`)
   */
  readonly overflowAt?: number;
  /**
   * A tree that went elsewhere stays there, where its longest prefix now is, until that endpoint fails or is
   * drained. Without it the tree's next request goes back to its own endpoint, where its earlier prefix is.
   * @default false
   */
  readonly overflowStays?: boolean;
  /**
   * Longest wait for a place, in milliseconds; Infinity for no bound. Then the request fails: as `timeout` if some
   * endpoint was up, as `unreachable` if none was. @default 600000
   */
  readonly queueTimeoutMs?: number;
  /**
   * `refuse`: a sample whose weight version is not the one that its tree saw first is a ServerError; a
   * server that does not say counts as one version of its own. A tree goes where its version was last seen, while such
   * an endpoint is up. `allow`: let it pass. Requests without a tree or an affinity are never compared. @default "refuse"
   */
  readonly mixedVersions?: "refuse" | "allow";
  /** Longest wait for a health check, in milliseconds. @default 5000 */
  readonly healthTimeoutMs?: number;
  /**
   * Idle trees whose version and place are remembered, from 1; beyond that the ones idle for longest are forgotten,
   * and a forgotten tree may take up another version. @default 100000
   */
  readonly rememberTrees?: number;
  readonly meter?: Meter;
  /** Gets the `model.sample` spans of each endpoint, and a `model.queue` span for each wait. */
  readonly onSpan?: OnSpan;
  /** @default the system's */
  readonly clock?: Clock;
  /** @default setTimeout */
  readonly timer?: Timer;
}

/** The endpoints that the options describe. @throws {InputError} names the option */
export function endpointsOf(options: PoolOptions, clock: Clock): Endpoint[] {
  const { servers, maxConcurrent = 64, overflowAt } = options;
  checkPool(options);
  const taken = new Set<string>();
  return servers.map((given, place) => {
    const entry: PoolServer = "sample" in given ? { server: given } : given;
    const most = wholeFrom(
      1,
      "pool",
      `servers[${place}].maxConcurrent`,
      entry.maxConcurrent ?? maxConcurrent,
    );
    const id = entry.endpoint ?? freeName(entry.server.name, taken);
    if (taken.has(id)) {
      throw new InputError(
        `pool: two of \`servers\` are called \`${id}\`: give each an \`endpoint\` of its own`,
      );
    }
    taken.add(id);
    return new Endpoint({
      id,
      server: entry.server,
      maxConcurrent: most,
      overflowAt: overflowAt ?? Math.floor(most / 2),
      health: entry.health ?? healthOf(entry.server),
      circuit: options,
      meter: options.meter,
      onSpan: options.onSpan,
      clock,
    });
  });
}

function checkPool(options: PoolOptions): void {
  const { servers, maxConcurrent = 64, openAfter = 3, rememberTrees = 1 } = options;
  if (servers.length === 0) throw new InputError("pool: expected `servers` to have one or more, got none");
  wholeFrom(1, "pool", "maxConcurrent", maxConcurrent);
  wholeFrom(1, "pool", "openAfter", openAfter);
  wholeFrom(1, "pool", "rememberTrees", rememberTrees);
  for (const [name, least] of [
    ["overflowAt", 0],
    ["queueTimeoutMs", 0],
    ["backOffMs", 1],
    ["backOffMaxMs", 1],
    ["healthTimeoutMs", 1],
  ] as const) {
    const value = options[name];
    if (value !== undefined && !(value >= least)) {
      throw new InputError(`pool: expected \`${name}\` to be a number from ${least} up, got ${value}`);
    }
  }
}

function healthOf(server: ModelServer): PoolServer["health"] {
  return server.health && ((signal) => server.health!(signal));
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  let free = name;
  for (let copy = 2; taken.has(free); copy++) free = `${name} #${copy}`;
  return free;
}
