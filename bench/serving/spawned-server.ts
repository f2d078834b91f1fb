import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { vllmServer } from "../../agents/model-server/index.ts";
import type { ModelServerOptions, ModelServerStats } from "../../test/serving/index.ts";
import { Noted } from "./noted.ts";

/** What the test server's generating costs; without milliseconds it answers as fast as it can. */
export type ServerCost = Pick<ModelServerOptions, "slots" | "msPerStep" | "msPer1kPrefill">;

/** Gives `work` a server that was started for it, and stops it afterwards. */
export async function withServer<T>(
  cost: ServerCost,
  work: (server: Noted, stats: () => Promise<ModelServerStats>) => Promise<T>,
): Promise<T> {
  const child = fork(new URL("./server-process.js", import.meta.url), [JSON.stringify(cost)]);
  try {
    const { url } = await said<{ readonly url: string }>(child);
    const server = new Noted(vllmServer({ url, model: "forkgym/tiny" }));
    try {
      return await work(server, async () => {
        const answer = said<{ readonly stats: ModelServerStats }>(child);
        child.send("stats");
        return (await answer).stats;
      });
    } finally {
      await server.close();
    }
  } finally {
    child.disconnect();
  }
}

async function said<T>(child: ChildProcess): Promise<T> {
  const [message] = (await once(child, "message")) as [T];
  return message;
}
