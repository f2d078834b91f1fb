// A PATR tree over one lake, printed with its scores and decisions.
import { patr, rollout, treeText } from "forkgym";
import { random } from "forkgym/agents";
import { frozenLakeKit as lake } from "forkgym/frozen-lake";

const tasks = lake.sets.find(({ name }) => name === "frozen-lake/hard-test")!.make();
const tree = await rollout(tasks.at(0), {
  env: lake.make,
  policy: random((rng) => lake.randomAction(rng)),
  scorer: lake.progress!,
  strategy: patr({ every: 4, children: 3 }),
  seed: 7,
});
console.log(treeText(tree));
console.log(
  "rewards of the group:",
  tree.leaves.map(({ reward }) => reward),
);
