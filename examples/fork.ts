// One state, three futures: fork in mid-episode, through JSON, with the same noise and with fresh noise.
import { GYMNASIUM_MAPS, GymnasiumFrozenLake } from "forkgym/frozen-lake";

const task = { id: "4x4", data: { map: GYMNASIUM_MAPS["4x4"] } };
const env = new GymnasiumFrozenLake();
await env.reset({ task, seed: 42 });
await env.step(2);

const text = JSON.stringify(await env.snapshot());
const same = await env.fork(JSON.parse(text));
const fresh = await env.fork(JSON.parse(text), { seed: 1 });

console.log("parent", await env.step(1));
console.log("fork, as the parent would have gone on", await same.step(1));
console.log("fork with fresh noise", await fresh.step(1));
await Promise.all([env.close(), same.close(), fresh.close()]);
