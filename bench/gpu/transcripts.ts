import { createRng, type Rng } from "../../core/rng.ts";
import type { Node } from "../../core/rollout/tree.ts";
import { type Task, tasksOf } from "../../core/task.ts";
import { rllmDialogue } from "../../envs/frozen-lake/dialogue.ts";
import { distancesToGoal } from "../../envs/frozen-lake/distance.ts";
import { frozenLakeKit } from "../../envs/frozen-lake/kit.ts";
import { compileLake, HOLE, MOVES } from "../../envs/frozen-lake/lake.ts";
import type { LakeView } from "../../envs/frozen-lake/rllm.ts";
import type { RllmAction, RllmLakeData } from "../../envs/frozen-lake/rllm-rules.ts";

// Prints scripted episodes of FrozenLake to train on, one a line: { messages }. Argument: how many, from 1.

/** Share of moves that are drawn at random, so that a model trained on them is not always right. */
const CARELESS = 0.2;

async function transcript(task: Task<RllmLakeData>, rng: Rng) {
  const env = frozenLakeKit.make();
  const observation = await env.reset({ task, seed: 0 });
  let node: Node<LakeView, RllmAction> = { branch: "0", turn: 0, observation, reward: 0, repeats: 0 };
  const messages = [...rllmDialogue.opening(task)];
  while (node.end === undefined) {
    const content = reply(node.observation, rng);
    messages.push(rllmDialogue.observe(task, node), { role: "assistant", content });
    const choice = { action: rllmDialogue.parse(content) };
    node = {
      parent: node,
      branch: "0",
      turn: node.turn + 1,
      choice,
      repeats: 0,
      ...(await env.step(choice.action)),
    };
  }
  await env.close();
  return { messages };
}

/** Where the player is and what each move comes to, then the move. */
function reply({ map, player }: LakeView, rng: Rng): string {
  const lake = compileLake(map);
  const distances = distancesToGoal(map);
  const moves = MOVES.map((move, at) => {
    const to = lake.next[player * 4 + at]!;
    const steps = distances[to]!;
    const comesTo =
      to === player ? "stays" : lake.kinds[to] === HOLE ? "falls" : steps < 0 ? "is lost" : `leaves ${steps}`;
    return { move, comesTo, cost: lake.kinds[to] === HOLE || steps < 0 ? Number.POSITIVE_INFINITY : steps };
  });
  const best = moves.reduce((least, move) => (move.cost < least.cost ? move : least));
  const { move } = rng.next() < CARELESS ? moves[rng.below(moves.length)]! : best;
  const place = `P is in row ${Math.floor(player / lake.cols) + 1}, column ${(player % lake.cols) + 1}.`;
  const lines = moves.map(({ move: name, comesTo }) => `${name} ${comesTo}`).join(", ");
  return `${place} ${lines}.\n\`\`\`${move[0]!.toUpperCase()}${move.slice(1)}\`\`\``;
}

const set = frozenLakeKit.sets.find(({ name }) => name === "frozen-lake/rllm-train")!.make();
const rng = createRng("transcripts");
for (const task of tasksOf(set, Number(process.argv[2]))) {
  process.stdout.write(`${JSON.stringify(await transcript(task as Task<RllmLakeData>, rng))}\n`);
}
