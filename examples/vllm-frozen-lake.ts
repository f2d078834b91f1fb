// FrozenLake played by a language model on vLLM: what it sampled is what is recorded, token for token.
import { patr, rollout, treeText } from "forkgym";
import { ChatTemplate, loadTokenizer, modelPolicy, vllmServer } from "forkgym/agents";
import { rllmDialogue as dialogue, frozenLakeKit as lake } from "forkgym/frozen-lake";

const { FORKGYM_VLLM_URL: url, FORKGYM_MODEL_FOLDER: folder = "." } = process.env;
const model = process.env.FORKGYM_MODEL ?? "Qwen/Qwen2.5-0.5B-Instruct";
if (url === undefined) {
  console.log(`vllm serve ${model} --generation-config vllm --enable-prompt-tokens-details \\
  --logprobs-mode processed_logprobs
Then set FORKGYM_VLLM_URL to http://localhost:8000, and FORKGYM_MODEL_FOLDER to the folder that holds the
model's tokenizer.json and tokenizer_config.json.`);
} else {
  const tokenizer = loadTokenizer({
    tokenizerJson: `${folder}/tokenizer.json`,
    tokenizerConfig: `${folder}/tokenizer_config.json`,
  });
  const server = vllmServer({ url, model });
  const chat = new ChatTemplate({ tokenizer, name: model });
  const policy = modelPolicy({ server, dialogue, chat, sampling: { maxTokens: 512 } });
  const tasks = lake.sets.find(({ name }) => name === "frozen-lake/rllm-test")!.make();
  const { make: env, progress: scorer } = lake;
  const tree = await rollout(tasks.at(0), { env, policy, scorer: scorer!, strategy: patr(), seed: 7 });
  console.log(treeText(tree), tree.budget);
  await server.close();
}
