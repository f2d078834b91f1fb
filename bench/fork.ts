import { deepStrictEqual } from "node:assert";
import type { Env } from "../core/env.ts";
import { type GymnasiumAction, GymnasiumFrozenLake } from "../envs/frozen-lake/gymnasium.ts";
import { GYMNASIUM_MAPS } from "../envs/frozen-lake/gymnasium-maps.ts";
import type { GymnasiumLakeData } from "../envs/frozen-lake/gymnasium-rules.ts";
import type { GymnasiumPeer } from "./peer.ts";
import { nsEach, type Side } from "./rounds.ts";
import { benchActions } from "./step.ts";
import { type PeerSide, type VersusOptions, type VersusSpec, versus } from "./versus.ts";

type Lake = Env<GymnasiumLakeData, number, GymnasiumAction>;

const MAPS = { "4x4": 100, "8x8": 200 } as const;
type MapName = keyof typeof MAPS;
const MAP_NAMES = Object.keys(MAPS) as MapName[];

/** As many as the peer plays on a copy. */
const COPY_PLAY_STEPS = 40;

const PEERS = {
  made: "deepcopy made",
  unwrapped: "deepcopy unwrapped",
  "by-hand": "by hand, unwrapped",
} as const;
type PeerKind = keyof typeof PEERS;

/**
 * A copy of an episode that is under way. Ours counts the whole life of a fork: the snapshot is taken, forked and
 * released, and the fork is closed; once in the process and once through JSON text, as a snapshot that came from
 * a file or another machine.
 */
export async function forkBench(options: VersusOptions): Promise<number> {
  const lakes = new Map<MapName, Lake>();
  for (const map of MAP_NAMES) lakes.set(map, await inMidEpisode(map));
  const ours = MAP_NAMES.flatMap((map) => ourForks(map, lakes.get(map)!));
  const peers = MAP_NAMES.flatMap((map) => [
    copies(map, "made"),
    copies(map, "unwrapped"),
    copies(map, "by-hand"),
  ]);
  const compared = MAP_NAMES.flatMap((map): VersusSpec["compared"] => [
    [`${map} in process`, peerName(map, "made")],
    [`${map} in process`, peerName(map, "unwrapped")],
    [`${map} in process`, peerName(map, "by-hand")],
    [`${map} JSON text`, peerName(map, "made")],
    [`${map} JSON text`, peerName(map, "unwrapped")],
  ]);
  async function prepare(peer: GymnasiumPeer): Promise<void> {
    const actions = benchActions();
    await peer.ask({ do: "prepare", actions });
    for (const map of MAP_NAMES) await checkSameCopies(peer, map, lakes.get(map)!, actions);
  }
  return versus({ bench: "fork", operation: "fork", ours, peers, compared, prepare }, options);
}

async function inMidEpisode(map: MapName): Promise<Lake> {
  const env = new GymnasiumFrozenLake();
  await env.reset({ task: { id: map, data: { map: GYMNASIUM_MAPS[map], maxTurns: MAPS[map] } }, seed: 0 });
  await env.step(0);
  await env.step(0);
  return env;
}

function ourForks(map: MapName, env: Lake): Side[] {
  return [
    {
      name: `${map} in process`,
      async block(count) {
        const start = performance.now();
        for (let i = 0; i < count; i++) {
          const snapshot = await env.snapshot();
          const fork = await env.fork(snapshot);
          await env.release(snapshot);
          await fork.close();
        }
        return nsEach(start, count);
      },
    },
    {
      name: `${map} JSON text`,
      async block(count) {
        const start = performance.now();
        for (let i = 0; i < count; i++) {
          const snapshot = JSON.parse(JSON.stringify(await env.snapshot()));
          const fork = await env.fork(snapshot);
          await env.release(snapshot);
          await fork.close();
        }
        return nsEach(start, count);
      },
    },
  ];
}

function copies(map: MapName, kind: PeerKind): PeerSide {
  return { name: peerName(map, kind), request: { do: "copy", env: kind, map } };
}

function peerName(map: MapName, kind: PeerKind): string {
  return `${map} ${PEERS[kind]}`;
}

/** Every kind of copy goes on exactly as ours does, or it is no copy. */
async function checkSameCopies(
  peer: GymnasiumPeer,
  map: MapName,
  env: Lake,
  actions: readonly GymnasiumAction[],
): Promise<void> {
  const fork = await env.fork(JSON.parse(JSON.stringify(await env.snapshot())));
  const seen: number[] = [];
  for (const action of actions.slice(0, COPY_PLAY_STEPS)) {
    const { observation, end } = await fork.step(action);
    seen.push(observation);
    if (end !== undefined) break;
  }
  await fork.close();
  for (const kind of Object.keys(PEERS)) {
    deepStrictEqual(
      await peer.ask({ do: "copy-play", env: kind, map }),
      seen,
      `${kind} goes on as the fork does`,
    );
  }
}
