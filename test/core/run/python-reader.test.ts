import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import type { ModelServer } from "../../../agents/model-server/model-server.ts";
import { modelPolicy } from "../../../agents/model-server/policy.ts";
import { ChatTemplate } from "../../../agents/model-server/tokens/chat-template.ts";
import { loadTokenizer } from "../../../agents/model-server/tokens/tokenizer.ts";
import { vllmServer } from "../../../agents/model-server/vllm.ts";
import { rollout } from "../../../core/rollout/engine.ts";
import { patr } from "../../../core/rollout/strategies/patr.ts";
import { toRecord } from "../../../core/run/record.ts";
import { rllmDialogue } from "../../../envs/frozen-lake/dialogue.ts";
import { frozenLakeKit as lake } from "../../../envs/frozen-lake/kit.ts";
import { randomReplies, startModelServer, tokenizerConfig, tokenizerJson } from "../../serving/index.ts";

const python = process.env.FORKGYM_PYTHON ?? "python3";
const found = spawnSync(python, ["-c", ""]).status === 0;
const [, reader] = /```python\n([\s\S]*?)```/.exec(readFileSync("docs/records.md", "utf8"))!;

test.skipIf(!found)(
  "the Python in docs/records.md rebuilds what the server saw and sampled (needs python3 or FORKGYM_PYTHON)",
  async () => {
    const serving = await startModelServer({ policy: randomReplies(["```Up```", "```Down```", "nothing"]) });
    onTestFinished(() => serving.close());
    const vllm = vllmServer({ url: serving.url, model: "forkgym/tiny" });
    onTestFinished(() => vllm.close());
    const seen = new Map<string, { readonly mask: number[]; readonly logprobs: number[] }>();
    const server: ModelServer = {
      ...{ name: "vllm", tokenExact: true, close: () => Promise.resolve() },
      async sample(request, signal) {
        const sample = await vllm.sample(request, signal);
        const tokens = [...request.promptTokenIds!, ...sample.tokenIds!];
        const given = request.promptTokenIds!.map(() => 0);
        const mask = [...given, ...sample.tokenIds!.map(() => 1)];
        seen.set(JSON.stringify(tokens), { mask, logprobs: [...given, ...sample.logprobs!] });
        return sample;
      },
    };
    const tokenizer = loadTokenizer({ tokenizerJson: tokenizerJson(), tokenizerConfig: tokenizerConfig() });
    const tree = await rollout(lake.sets[0]!.make().at(0), {
      env: lake.make,
      policy: modelPolicy({
        server,
        dialogue: rllmDialogue,
        chat: new ChatTemplate({ tokenizer, name: "tiny" }),
        sampling: { maxTokens: 64 },
      }),
      scorer: lake.progress!,
      strategy: patr({ every: 2 }),
      seed: 7,
    });
    const program = `import sys\n${reader}\nprint(json.dumps([each for line in sys.stdin for each in leaf_sequences(line)]))`;
    const input = `${JSON.stringify(toRecord(tree))}\n`;
    const read = JSON.parse(execFileSync(python, ["-c", program], { input, encoding: "utf8" })) as {
      readonly [name in "tokens" | "mask" | "logprobs"]: number[];
    }[];
    expect(read.map((each) => (each as unknown as { reward: number }).reward)).toEqual(
      tree.leaves.map(({ reward }) => reward),
    );
    for (const { tokens, mask, logprobs } of read) {
      const last = seen.get(JSON.stringify(tokens))!;
      // The request knows only the last reply as sampled: earlier ones are in its prompt.
      const at = last.mask.indexOf(1);
      expect([mask.slice(at), logprobs.slice(at)]).toEqual([last.mask.slice(at), last.logprobs.slice(at)]);
      for (const [turn, { mask: own, logprobs: logs }] of seen) {
        const prefix = JSON.parse(turn) as number[];
        if (prefix.some((token, place) => tokens[place] !== token)) continue;
        const from = own.indexOf(1);
        expect(mask.slice(from, own.length)).toEqual(own.slice(from));
        expect(logprobs.slice(from, own.length)).toEqual(logs.slice(from));
      }
      expect(mask).toHaveLength(logprobs.length);
    }
  },
);
