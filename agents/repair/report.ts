/** A stretch of source that the failing checks run, as the checker prints it. */
export interface Spot {
  /** From the repository's folder on. */
  readonly path: string;
  readonly name: string;
  /** Line of its first line, from 1. */
  readonly from: number;
  readonly text: readonly string[];
  /** Suspicion of each line in percent, from 0; above 100 for what a traceback or the issue names. */
  readonly score: readonly number[];
  readonly parameters: readonly string[];
  readonly names: readonly string[];
}

export interface Report {
  /**
   * `base`: before any edit. `blind`: nothing fails that a repair could make pass. `better`: the edit was kept.
   * `solved`: so it was, and nothing is left to do. `same` and `worse`: it was taken back.
   */
  readonly verdict: "base" | "blind" | "better" | "solved" | "same" | "worse";
  /** Checks that failed before the first edit, and how many of them pass now. */
  readonly targets: number;
  readonly reached: number;
  /** With `base` and `better`. */
  readonly spots?: readonly Spot[];
}

/** The checker's report in what a tool showed; undefined if it is not there or was cut. */
export function reportIn(text: string): Report | undefined {
  const line = /^@@repair (\{.*\})\s*$/m.exec(text)?.[1];
  if (line === undefined) return undefined;
  try {
    return JSON.parse(line) as Report;
  } catch {
    return undefined;
  }
}
