import { rolloutAll } from "../../core/rollout/engine.ts";
import { lakeRollouts, lakeTasks, modelOf, tree } from "./lake.ts";
import { withServer } from "./spawned-server.ts";

export interface LoadOptions {
  /** Trees grown at once. */
  readonly trees: number;
  /** Sequences that the server runs at once. */
  readonly slots: number;
  /** What a token of every running sequence costs. */
  readonly msPerStep: number;
  /** What 1,000 prompt tokens cost that are not cached; nothing is generated meanwhile. */
  readonly msPer1kPrefill: number;
}

/** PATR's trees on a server that takes its time, after warm-up. */
export interface Load {
  /** Share of the slots that were taken. */
  readonly busy: number;
  /** The same in each of several stretches of the time. */
  readonly busyParts: readonly number[];
  /** Milliseconds of CPU of this process per turn, HTTP and all else included. */
  readonly clientMs: number;
  /** Of the prompt tokens that a cache could have had, the share that it had; warm-up included. */
  readonly hitShare: number;
  readonly turns: number;
  readonly seconds: number;
}

const PARTS = 8;

interface Reading {
  readonly busySlotMs: number;
  readonly elapsedMs: number;
  readonly cpu: NodeJS.CpuUsage;
  readonly turns: number;
}

/**
 * What counts begins when as many trees have ended as are grown at once, and ends half as many later: a tree that ended
 * was always replaced. Then the rest is aborted.
 */
export function measureLoad({ trees, ...cost }: LoadOptions): Promise<Load> {
  return withServer(cost, async (server, stats) => {
    const readings: Reading[] = [];
    const read = async () => {
      const { busySlotMs, elapsedMs } = await stats();
      readings.push({ busySlotMs, elapsedMs, cpu: process.cpuUsage(), turns: server.replies });
    };
    const counted = Math.ceil(trees / 2);
    const each = Math.max(1, Math.floor(counted / PARTS));
    const enough = new AbortController();
    let done = 0;
    const options = { ...lakeRollouts(modelOf(server), tree), seed: 1, trees, signal: enough.signal };
    await rolloutAll(lakeTasks(3 * trees), options, async ({ problems }) => {
      if (enough.signal.aborted) return;
      if (problems.length > 0) throw new Error(`bench: a tree has problems: ${problems[0]}`);
      done++;
      if (done >= trees && (done - trees) % each === 0) await read();
      if (done >= trees + counted) enough.abort();
    });
    const [first, last] = [readings[0]!, readings.at(-1)!];
    const busy = (from: Reading, to: Reading) =>
      (to.busySlotMs - from.busySlotMs) / (cost.slots * (to.elapsedMs - from.elapsedMs));
    const turns = last.turns - first.turns;
    const cpu = last.cpu.user + last.cpu.system - first.cpu.user - first.cpu.system;
    return {
      busy: busy(first, last),
      busyParts: readings.slice(1).map((to, at) => busy(readings[at]!, to)),
      clientMs: cpu / 1000 / turns,
      hitShare: server.hitShare(),
      turns,
      seconds: (last.elapsedMs - first.elapsedMs) / 1000,
    };
  });
}
