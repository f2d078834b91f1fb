/** How one endpoint does. */
export interface EndpointStats {
  readonly endpoint: string;
  /** Of its circuit; `held`: closed, but the server asked (Retry-After) to be left alone. */
  readonly state: "closed" | "held" | "open" | "half-open";
  readonly draining: boolean;
  readonly failuresInARow: number;
  /** Milliseconds until it may be asked again, if it is open or held. */
  readonly retryInMs?: number;
  readonly maxConcurrent: number;
  readonly inFlight: number;
  /** Requests that wait for this endpoint. */
  readonly queued: number;
  /** Requests sent to it. */
  readonly requests: number;
  /** By ServerFault, `aborted` (by the caller) or `other`. */
  readonly failures: Readonly<Record<string, number>>;
  /** Samples by weight version; `unknown` where the server did not say. */
  readonly weightVersions: Readonly<Record<string, number>>;
}

/** How a pool does. Plain JSON; counts are since the pool began. */
export interface PoolStats {
  readonly endpoints: readonly EndpointStats[];
  readonly inFlight: number;
  readonly queued: number;
  /** Requests that went elsewhere because too many waited for their tree's endpoint. */
  readonly overflowed: number;
  /** Requests that left the queue unsent: they waited too long, or were taken back. */
  readonly timedOut: number;
  readonly takenBack: number;
  /** Samples, or requests not even sent, that were refused for their weight version. */
  readonly versionsRefused: number;
  readonly expectedWeights?: string;
}
