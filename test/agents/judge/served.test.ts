import { expect, onTestFinished, test } from "vitest";
import { decodedTokens, judgeScorer } from "../../../agents/judge/index.ts";
import { sglangServer } from "../../../agents/model-server/sglang.ts";
import { ChatTemplate } from "../../../agents/model-server/tokens/chat-template.ts";
import { loadTokenizer } from "../../../agents/model-server/tokens/tokenizer.ts";
import { vllmServer } from "../../../agents/model-server/vllm.ts";
import { vllmGenerateServer } from "../../../agents/model-server/vllm-generate.ts";
import { startModelServer, tinyTokenizer, tokenizerConfig, tokenizerJson } from "../../serving/index.ts";
import { branchOf, inputOf, rated, transcriptOf } from "./lab.ts";

test.each([
  ["vllm", vllmServer],
  ["vllm-generate", vllmGenerateServer],
  ["sglang", sglangServer],
])("%s: a rating is the mean over its digit's probabilities, as the server gives them", async (_, make) => {
  const tests = await startModelServer({
    policy: () => [
      { text: rated(7, 4, 1), weight: 3 },
      { text: rated(9, 4, 1), weight: 1 },
    ],
  });
  const server = make({ url: tests.url, model: "forkgym/tiny" });
  onTestFinished(() => Promise.all([server.close(), tests.close()]).then(() => {}));
  const judge = judgeScorer<{ issue: string }, string, string>({
    server,
    transcript: transcriptOf,
    render: (messages) => tinyTokenizer.encode(tinyTokenizer.render(messages)),
    tokens: decodedTokens((id) => tinyTokenizer.decode([id])),
    stopTokenIds: [tinyTokenizer.eosTokenId],
  });
  expect(await judge.score(inputOf(branchOf([["ls", "a.py"]])))).toBeCloseTo((7.5 + 4 + 1) / 27);
});

test.each([
  ["vllm", vllmServer],
  ["vllm-generate", vllmGenerateServer],
  ["sglang", sglangServer],
])("%s: the model's chat is all that a judge needs of its words", async (_, make) => {
  const tests = await startModelServer({ policy: () => rated(7, 4, 1) });
  const server = make({ url: tests.url, model: "forkgym/tiny" });
  onTestFinished(() => Promise.all([server.close(), tests.close()]).then(() => {}));
  const tokenizer = loadTokenizer({ tokenizerJson: tokenizerJson(), tokenizerConfig: tokenizerConfig() });
  const render = new ChatTemplate({ tokenizer, name: "tiny" });
  const judge = judgeScorer<{ issue: string }, string, string>({ server, transcript: transcriptOf, render });
  expect(await judge.score(inputOf(branchOf([["ls", "a.py"]])))).toBeCloseTo(12 / 27);
});
