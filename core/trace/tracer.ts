/** What is said of a span; what is undefined is left out. */
export type TraceAttributes = Readonly<
  Record<string, string | number | boolean | readonly string[] | undefined>
>;

/** A span that is under way. */
export interface TraceSpan {
  set(attributes: TraceAttributes): void;
}

/**
 * Where a rollout tells of stretches of time: trees, turns, forks, scores, commands, calls of a model. Names and
 * attributes are listed in docs/observability.md. Without a tracer nothing is made and nothing is called.
 */
export interface Tracer {
  /**
   * A span from now until `run` settles, within the span in which it is called: whatever `run` awaits is inside, also
   * where many run at once. Settles as `run` does; an error is noted on the span.
   * @param kind `client`: a call of another service. @default "internal"
   */
  span<T>(
    name: string,
    attributes: TraceAttributes,
    run: (span: TraceSpan) => Promise<T>,
    kind?: "internal" | "client",
  ): Promise<T>;
}
