import { expect, onTestFinished, test } from "vitest";
import { modelPolicy } from "../../agents/model-server/policy.ts";
import { serverPool } from "../../agents/model-server/pool/pool.ts";
import type { SampleRecord } from "../../agents/model-server/sample-record.ts";
import { sglangServer } from "../../agents/model-server/sglang.ts";
import { ChatTemplate } from "../../agents/model-server/tokens/chat-template.ts";
import { loadTokenizer } from "../../agents/model-server/tokens/tokenizer.ts";
import { rolloutAll } from "../../core/rollout/engine.ts";
import { patr } from "../../core/rollout/strategies/patr.ts";
import type { Tree } from "../../core/rollout/tree.ts";
import { tasksOf } from "../../core/task.ts";
import { rllmDialogue } from "../../envs/frozen-lake/dialogue.ts";
import { frozenLakeKit } from "../../envs/frozen-lake/kit.ts";
import type { LakeView } from "../../envs/frozen-lake/rllm.ts";
import type { RllmAction, RllmLakeData } from "../../envs/frozen-lake/rllm-rules.ts";
import { randomReplies, startModelServer, tokenizerConfig, tokenizerJson } from "./index.ts";

type LakeTree = Tree<RllmLakeData, LakeView, RllmAction>;

const replies = randomReplies(["```Up```", "```Down```", "```Left```", "```Right```"]);
const tasks = frozenLakeKit.sets.find(({ name }) => name === "frozen-lake/rllm-test")!.make();

/** Rolls out lakes over two endpoints; `between` is called with each finished tree. */
async function overTwo(
  mixedVersions: "refuse" | "allow",
  between: (done: number, servers: Awaited<ReturnType<typeof startModelServer>>[]) => Promise<void>,
): Promise<LakeTree[]> {
  const servers = await Promise.all(
    [0, 1].map(() => startModelServer({ policy: replies, weightVersion: "1" })),
  );
  onTestFinished(() => Promise.all(servers.map((each) => each.close())).then(() => {}));
  const pool = serverPool({
    servers: servers.map(({ url }) => ({
      server: sglangServer({ url, model: "forkgym/tiny", totalMs: 5_000 }),
      endpoint: url,
    })),
    openAfter: 2,
    backOffMs: 5,
    // Doubled without end, the wait for an endpoint that was away for long could outlast the run.
    backOffMaxMs: 50,
    mixedVersions,
  });
  onTestFinished(() => pool.close());
  const tokenizer = loadTokenizer({ tokenizerJson: tokenizerJson(), tokenizerConfig: tokenizerConfig() });
  const policy = modelPolicy<RllmLakeData, LakeView, RllmAction>({
    server: pool,
    dialogue: rllmDialogue,
    chat: new ChatTemplate({ tokenizer, name: "tiny" }),
    sampling: { maxTokens: 32 },
  });
  const trees: LakeTree[] = [];
  await rolloutAll(
    tasksOf(tasks, 40),
    {
      env: frozenLakeKit.make,
      policy,
      scorer: frozenLakeKit.progress!,
      strategy: patr({ every: 3 }),
      seed: 3,
      trees: 4,
    },
    async (tree) => {
      trees.push(tree);
      await between(trees.length, servers);
    },
  );
  return trees;
}

const samples = ({ nodes }: LakeTree) =>
  nodes.slice(1).map(({ choice }) => choice!.sample as unknown as SampleRecord);
const versions = (tree: LakeTree) => new Set(samples(tree).map(({ weightVersion }) => weightVersion));
const endpoints = (trees: readonly LakeTree[]) =>
  new Set(trees.flatMap((tree) => samples(tree).map(({ endpoint }) => endpoint)));

test("one of two endpoints is killed and brought back, weights change in mid-run: every tree ends, none mixes versions", async () => {
  const trees = await overTwo("refuse", async (done, servers) => {
    if (done === 8) await servers[0]!.close();
    if (done === 20) {
      const port = Number(new URL(servers[0]!.url).port);
      servers[0] = await startModelServer({ policy: replies, weightVersion: "1", port });
    }
    if (done === 28) for (const server of servers) server.set({ weightVersion: "2" });
  });
  expect(trees).toHaveLength(40);
  for (const tree of trees) {
    expect(versions(tree).size, tree.task.id).toBeLessThanOrEqual(1);
    for (const { end, error, reward } of tree.leaves) {
      if (end === "error") expect(error).toMatch(/sglang|pool|weights|version/i);
      else expect(reward).toBeTypeOf("number");
    }
  }
  expect(new Set(trees.flatMap((tree) => [...versions(tree)]))).toEqual(new Set(["1", "2"]));
  expect(endpoints(trees.slice(0, 8)).size).toBe(2);
  expect(endpoints(trees.slice(13, 20)).size).toBe(1);
  expect(endpoints(trees.slice(24)).size).toBe(2);
  // What was lost is a few branches, and says why.
  const failed = trees.flatMap(({ leaves }) => leaves).filter(({ end }) => end === "error").length;
  expect(failed).toBeLessThan(60);
}, 60_000);

test("a tree may span two versions where that is asked for, and each turn says which it was", async () => {
  const trees = await overTwo("allow", async (done, servers) => {
    if (done === 20) for (const server of servers) server.set({ weightVersion: "2" });
  });
  expect(trees.flatMap(({ problems }) => problems)).toEqual([]);
  expect(trees.some((tree) => versions(tree).size === 2)).toBe(true);
}, 60_000);
