import type { PoolOptions } from "../../../../agents/model-server/pool/options.ts";
import { type ServerPool, serverPool } from "../../../../agents/model-server/pool/pool.ts";
import { ask, HandServer } from "./hand-server.ts";
import { settle, VirtualTime } from "./virtual-time.ts";

/** A pool of servers that are played by hand, two places each, in a time of its own. */
export function setUp(
  options: Partial<PoolOptions> = {},
  names: readonly string[] = ["a", "b"],
): { pool: ServerPool; servers: HandServer[]; time: VirtualTime } {
  const time = new VirtualTime();
  const servers = names.map((name) => new HandServer(name));
  const pool = serverPool({ servers, clock: time.clock, timer: time.timer, maxConcurrent: 2, ...options });
  return { pool, servers, time };
}

/** A tree whose own endpoint is this one, of a pool that has nothing to do; what was sent to find it is forgotten. */
export async function treeOf(
  pool: ServerPool,
  servers: readonly HandServer[],
  place: number,
): Promise<string> {
  for (let n = 0; ; n++) {
    const tree = `tree ${n}`;
    const abort = new AbortController();
    pool.sample(ask(tree), abort.signal).catch(() => {});
    const found = servers[place]!.pending.length > 0;
    abort.abort();
    await settle();
    for (const server of servers) server.sent.length = 0;
    if (found) return tree;
  }
}
