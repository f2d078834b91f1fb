import { randomReplies, startModelServer } from "../../test/serving/index.ts";
import { REPLIES } from "./lake.ts";
import type { ServerCost } from "./spawned-server.ts";

// The model server in a process of its own, so that its work is not counted with ours. Its cost model is argument 1
// as JSON; any message is answered with the server's counters.
const cost = JSON.parse(process.argv[2]!) as ServerCost;
const server = await startModelServer({ ...cost, policy: randomReplies(REPLIES) });
process.on("message", () => process.send!({ stats: server.stats() }));
process.on("disconnect", () => process.exit());
process.send!({ url: server.url });
