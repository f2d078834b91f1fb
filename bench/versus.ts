import { table } from "../cli/tables.ts";
import type { JsonObject } from "../core/json.ts";
import { GymnasiumPeer, PeerMissingError } from "./peer.ts";
import { alternate, type RoundOptions, type Side } from "./rounds.ts";
import { median, type RatioSummary, ratioSummary } from "./statistics.ts";

/** Options of a bench that has a peer. */
export interface VersusOptions extends RoundOptions {
  /** The Python that runs the peer. */
  readonly python?: string;
  /** Whether a missing peer is a failure. @default false */
  readonly requirePeer?: boolean;
  /** Below this median ratio of the main comparison the bench fails. @default none */
  readonly minRatio?: number;
}

/** A block that the peer runs: `request` without the count. */
export interface PeerSide {
  readonly name: string;
  readonly request: JsonObject;
}

/** Ours against the peer's. */
export interface VersusSpec {
  readonly bench: string;
  /** What is counted, for example `step`. */
  readonly operation: string;
  readonly ours: readonly Side[];
  readonly peers: readonly PeerSide[];
  /** Names of the sides that are compared; the first pair is the main comparison. */
  readonly compared: readonly (readonly [ours: string, peer: string])[];
  /** Readies the peer and throws unless it does the same as we do. */
  prepare(peer: GymnasiumPeer): Promise<void>;
}

interface Compared {
  readonly name: string;
  readonly against: string;
  readonly ours: number;
  readonly peer: number | null;
  readonly ratio: RatioSummary | null;
}

/** Measures, prints a table and one line of JSON, and returns the exit code. */
export async function versus(spec: VersusSpec, options: VersusOptions): Promise<number> {
  const peer = await GymnasiumPeer.start(options.python).catch((error: unknown) => {
    if (error instanceof PeerMissingError) return error;
    throw error;
  });
  if (peer instanceof PeerMissingError)
    return report(spec, options, await alternate(spec.ours, options), peer);
  try {
    await spec.prepare(peer);
    const theirs = spec.peers.map(({ name, request }): Side => {
      return { name, block: async (count) => (await peer.ask({ ...request, count })) as number };
    });
    return report(spec, options, await alternate([...spec.ours, ...theirs], options), peer);
  } finally {
    await peer.close();
  }
}

function report(
  spec: VersusSpec,
  options: VersusOptions,
  samples: ReadonlyMap<string, readonly number[]>,
  peer: GymnasiumPeer | PeerMissingError,
): number {
  const missing = peer instanceof PeerMissingError;
  const comparisons = spec.compared.map(([name, against]): Compared => {
    const ours = samples.get(name)!;
    const theirs = samples.get(against);
    return {
      name,
      against,
      ours: median(ours),
      peer: theirs === undefined ? null : median(theirs),
      ratio: theirs === undefined ? null : ratioSummary(ours, theirs),
    };
  });
  const [main] = comparisons;
  const versions = { node: process.versions.node, ...(missing ? {} : peer.versions) };
  say(`${spec.bench}: ${options.rounds} rounds, blocks of ${options.blockMs} ms, ${inWords(versions)}`);
  say(versusTable(spec.operation, comparisons));
  if (missing) say(`no peer, so no ratio: ${peer.message}`);
  const failure = failed(options, main!);
  if (failure !== undefined) say(`failed: ${failure}`);
  const { ours, peer: theirs, ratio } = main!;
  const { rounds, blockMs } = options;
  const unit = `ns/${spec.operation}`;
  say(
    JSON.stringify({
      bench: spec.bench,
      unit,
      ours,
      peer: theirs,
      ratio,
      comparisons,
      rounds,
      blockMs,
      versions,
    }),
  );
  return failure === undefined ? 0 : 1;
}

function failed({ requirePeer = false, minRatio }: VersusOptions, main: Compared): string | undefined {
  if (main.ratio === null) return requirePeer ? "--require-peer asks for the peer" : undefined;
  if (minRatio === undefined || main.ratio.median >= minRatio) return undefined;
  return `the median ratio is ${main.ratio.median.toFixed(1)}, and --min-ratio asks for ${minRatio}`;
}

function versusTable(operation: string, comparisons: readonly Compared[]): string {
  const head = ["ForkGym", `ns/${operation}`, "Gymnasium", `ns/${operation}`, "ratio", "p10 to p90"];
  const rows = comparisons.map(({ name, against, ours, peer, ratio }) => [
    name,
    whole(ours),
    against,
    peer === null ? "-" : whole(peer),
    ratio === null ? "-" : `${ratio.median.toFixed(1)}x`,
    ratio === null ? "-" : `${ratio.p10.toFixed(1)} to ${ratio.p90.toFixed(1)}`,
  ]);
  return table(head, rows);
}

function whole(ns: number): string {
  return Math.round(ns).toLocaleString("en");
}

function inWords(versions: JsonObject): string {
  return Object.entries(versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(", ");
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
