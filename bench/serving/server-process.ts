import { randomReplies, startModelServer } from "../../test/serving/index.ts";

// The model server in a process of its own, so that its work is not counted with ours. Options are argument 1 as JSON;
// any message is answered with the server's counters.
const options = JSON.parse(process.argv[2]!) as { readonly slots: number; readonly msPerStep: number };
const moves = ["Up", "Down", "Left", "Right"].map((move) => `I try this way.\n\`\`\`${move}\`\`\``);
const server = await startModelServer({ ...options, policy: randomReplies(moves) });
process.on("message", () => process.send!({ stats: server.stats() }));
process.on("disconnect", () => process.exit());
process.send!({ url: server.url });
