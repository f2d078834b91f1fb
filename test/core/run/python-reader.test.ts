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

interface Row {
  readonly group: string;
  readonly task: string;
  readonly rewards: readonly number[];
  readonly complete: boolean;
  readonly branch: string;
  readonly end: string;
  readonly reward: number;
  readonly weight_versions: readonly (string | null)[];
  readonly tokens: number[];
  readonly mask: number[];
  readonly logprobs: number[];
}

/** What the Python makes of the lines of a `trees.jsonl`. */
function rowsBy(records: readonly object[]): Row[] {
  const program = `import sys\n${reader}\nprint(json.dumps([each for line in sys.stdin for each in leaf_sequences(line)]))`;
  const input = records.map((record) => `${JSON.stringify(record)}\n`).join("");
  return JSON.parse(
    execFileSync(python, ["-c", program], { input, encoding: "utf8", stdio: "pipe" }),
  ) as Row[];
}

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
    const record = toRecord(tree);
    const read = rowsBy([record]);
    const rewards = tree.leaves.map(({ reward }) => reward);
    expect(read).toMatchObject(
      tree.leaves.map(({ branch, end, reward, node }) => ({
        ...{ group: record.digest, task: tree.task.id, rewards, complete: true, branch, end, reward },
        weight_versions: Array(node.turn).fill(read[0]!.weight_versions[0]),
      })),
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

const sample = { promptDelta: [1, 2], tokenIds: [3], logprobs: [-0.5], weightVersion: "7" };
const turn = { branch: "0", observation: "", reward: 0 };
const made = (nodes: readonly object[], leaves: readonly object[]) => ({
  ...{ v: 1, digest: "d", task: { id: "t", data: null } },
  nodes: [{ parent: null, branch: "", observation: "", reward: 0 }, ...nodes],
  leaves,
});

test.skipIf(!found)("a rewarded leaf at the root has no row, and its reward stays in the group's", () => {
  const nodes = [{ parent: 0, ...turn, choice: { action: "a", sample } }];
  const leaves = [
    { branch: "0", node: 1, end: "success", reward: 1 },
    { branch: "1", node: 0, end: "context-limit", reward: 0 },
    { branch: "2", node: 1, end: "error", error: "gone" },
  ];
  expect(rowsBy([made(nodes, leaves), { ...made([], leaves.slice(1, 2)), digest: "e" }])).toEqual([
    {
      ...{ group: "d", task: "t", rewards: [1, 0], complete: false, branch: "0", end: "success", reward: 1 },
      ...{ weight_versions: ["7"], tokens: [1, 2, 3], mask: [0, 0, 1], logprobs: [0, 0, -0.5] },
    },
  ]);
});

test.skipIf(!found)("a run without tokens is one error that says so", () => {
  for (const choice of [{ action: "a" }, { action: "a", sample: { text: "go", finishReason: "stop" } }]) {
    const tree = made(
      [{ parent: 0, ...turn, choice }],
      [{ branch: "0", node: 1, end: "success", reward: 1 }],
    );
    expect(() => rowsBy([tree])).toThrow(
      "ValueError: task t, a turn of branch '0': no promptDelta; tokens are recorded with token-exact servers only",
    );
  }
});
