// From trees to an update: collect groups, take advantages, train the in-process learner.
import { groupOf, grpo, patr, rollout } from "forkgym";
import { createLearner } from "forkgym/agents";
import {
  type LakeView,
  frozenLakeKit as lake,
  type RllmAction,
  type RllmLakeData,
} from "forkgym/frozen-lake";

const tasks = lake.sets.find(({ name }) => name === "frozen-lake/rllm-train")!.make();
const learner = createLearner<RllmLakeData, LakeView, RllmAction>({ ...lake.learning!, seed: 1 });
const strategy = patr({ every: 5 });

for (let update = 0; update < 30; update++) {
  const groups = [];
  for (let index = 0; index < 32; index++) {
    const task = tasks.at(update * 32 + index);
    groups.push(
      groupOf(
        await rollout(task, {
          env: lake.make,
          policy: learner,
          scorer: lake.progress!,
          strategy,
          seed: update,
        }),
      ),
    );
  }
  const { entropy } = learner.update(groups, {
    advantage: (rewards) => grpo(rewards, { std: "population" }),
  });
  if (update % 10 !== 9) continue;
  const rewards = groups.flatMap((group) => group.rewards);
  const won = rewards.filter((reward) => reward > 0).length / rewards.length;
  console.log(
    `update ${update + 1}: ${(100 * won).toFixed(0)}% of the leaves won, entropy ${entropy.toFixed(2)}`,
  );
}
