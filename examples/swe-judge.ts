// SWE-bench with PATR, its branches scored by a judge and a heuristic: s = lambda * judge + (1 - lambda) * heuristic.
import { pathTo, patr, rollout, treeText } from "forkgym";
import { byLambda, judgeScorer, modelPolicy, openaiServer } from "forkgym/agents";
import { type SweAction, type SweInstance, type SweObservation, sweBenchKit as swe } from "forkgym/swe-bench";

const url = process.env.FORKGYM_VLLM_URL;
const model = process.env.FORKGYM_MODEL ?? "Qwen/Qwen2.5-Coder-7B-Instruct";
if (url === undefined) {
  console.log(`Start a server, then set FORKGYM_VLLM_URL=http://localhost:8000 and run this again:
  vllm serve ${model} --generation-config vllm --enable-prompt-tokens-details \\
    --logprobs-mode processed_logprobs`);
  process.exit();
}

const server = openaiServer({ url, model });
const judge = judgeScorer<SweInstance, SweObservation, SweAction>({
  server,
  transcript: (task, node) => ({
    issue: task.data.problemStatement,
    steps: pathTo(node)
      .slice(1)
      .map(({ choice, observation }) => ({
        action: JSON.stringify(choice!.action),
        observation: observation.text,
      })),
  }),
  onFailure: ({ fault, message }) => console.error(`no score (${fault}): ${message}`),
});
const mini = swe.sets.find(({ name }) => name === "swe-mini")!.make();
const tree = await rollout(mini.at(0), {
  env: swe.make,
  policy: modelPolicy({ server, dialogue: swe.dialogue!, sampling: { maxTokens: 2048 } }),
  scorer: byLambda(0.5, judge, swe.progress!),
  strategy: patr({ every: swe.checkpointEvery(mini), children: 2 }),
  seed: 1,
});
console.log(treeText(tree), judge.usage());
await server.close();
