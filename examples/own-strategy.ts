// A strategy is a value: here, beam search, which keeps the best branches at every checkpoint and drops the rest.
import { rollout, type Strategy, summarize, type Tree } from "forkgym";
import { random } from "forkgym/agents";
import {
  type LakeView,
  frozenLakeKit as lake,
  type RllmAction,
  type RllmLakeData,
} from "forkgym/frozen-lake";

function beam({ width = 2, children = 4, every = 2 } = {}): Strategy {
  return {
    name: "beam",
    options: { width, children, every },
    roots: width * children,
    every,
    scored: true,
    pruned: "drop",
    route({ active }) {
      const ranked = active
        .map((_, at) => at)
        .sort((a, b) => (active[b]!.score ?? 0) - (active[a]!.score ?? 0));
      const best = new Set(ranked.slice(0, width));
      return active.map((_, at) => (best.has(at) ? { kind: "expand", children } : { kind: "prune" }));
    },
  };
}

const tasks = lake.sets.find(({ name }) => name === "frozen-lake/hard-test")!.make();
const policy = random<RllmLakeData, LakeView, RllmAction>((rng) => lake.randomAction(rng));
const trees: Tree<RllmLakeData, LakeView, RllmAction>[] = [];
for (let index = 0; index < 20; index++) {
  const options = { env: lake.make, policy, scorer: lake.progress!, strategy: beam(), seed: 1 };
  trees.push(await rollout(tasks.at(index), options));
}
const { solved, budget } = summarize(trees);
console.log(`a beam of random moves solves ${solved * 100}% of 20 lakes in ${budget.envSteps} env steps`);
