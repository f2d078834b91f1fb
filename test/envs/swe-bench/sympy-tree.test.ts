import { exec } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import type { Policy } from "../../../core/policy.ts";
import type { Rng } from "../../../core/rng.ts";
import { rollout } from "../../../core/rollout/engine.ts";
import { patr } from "../../../core/rollout/strategies/patr.ts";
import { SweBench } from "../../../envs/swe-bench/env.ts";
import { createGrader } from "../../../envs/swe-bench/grader.ts";
import type { SweInstance } from "../../../envs/swe-bench/instance.ts";
import { sweProgress } from "../../../envs/swe-bench/progress.ts";
import { loadSet } from "../../../envs/swe-bench/rows/set.ts";
import { scaffolds } from "../../../envs/swe-bench/scaffolds.ts";
import { workspacesOf } from "../../../envs/swe-bench/settings.ts";
import type { SweAction, SweObservation } from "../../../envs/swe-bench/types.ts";

const image = process.env.FORKGYM_SYMPY_IMAGE;
const shared = process.env.FORKGYM_SHARED ?? "";

const FILE = "/testbed/sympy/sets/contains.py";
const bash = (command: string): SweAction => ({ tool: "execute_bash", arguments: { command } });
const edit = (old_str: string, new_str: string): SweAction => ({
  tool: "str_replace_editor",
  arguments: { command: "str_replace", path: FILE, old_str, new_str },
});
const CHECK = bash(
  "python3 -c 'from sympy import *; from sympy.abc import x; assert Contains(x, S.Reals).as_set() is S.Reals'",
);

/** Wanders about; some branches find the fix, some a wrong one, one is stuck. */
const wanderer: Policy<SweInstance, SweObservation, SweAction> = {
  name: "wanderer",
  act({ node, rng, branch }) {
    if (branch === "3") return { action: bash("ls sympy/sets") };
    if (node.turn === 4 && branch === "0")
      return { action: edit("raise NotImplementedError()", "return self.args[1]") };
    if (node.turn === 4 && branch === "1")
      return { action: edit("raise NotImplementedError()", "return self.args[0]") };
    if (node.turn % 6 === 5) return { action: CHECK };
    return { action: look(rng, node.turn) };
  },
};

function look(rng: Rng, turn: number): SweAction {
  const first = 1 + rng.below(40);
  return bash(`sed -n ${first},${first + turn + 1}p ${FILE}`);
}

describe.skipIf(image === undefined)(
  "a real row of Verified in Docker (skipped without FORKGYM_SYMPY_IMAGE, made by test/images/sympy)",
  () => {
    test("a tree with K = 13 and 50 turns: it forks and prunes, every leaf is graded, nothing is left", async () => {
      const file = join(shared, "data/swe-bench/verified.parquet");
      const set = await loadSet(file, { ids: "sympy__sympy-23950" }, () => {});
      const run = `tree-${process.pid}`;
      const workspaces = workspacesOf({
        backend: "docker",
        engine: "overlay",
        network: false,
        image: image!,
        run,
      });
      const settings = { workspaces, grader: createGrader({ workspaces }), scaffold: scaffolds.sweagent };
      const tree = await rollout(set.at(0), {
        env: () => new SweBench(settings),
        policy: wanderer,
        strategy: patr({ every: 13, maxLeaves: 8 }),
        scorer: sweProgress,
        seed: 1,
      });
      expect(tree.problems).toEqual([]);
      expect(tree.checkpoints.map(({ turn }) => turn)).toEqual([13, 26, 39]);
      expect(tree.budget.forks).toBeGreaterThanOrEqual(5);
      const ends = tree.leaves.map(({ end }) => end);
      expect(ends).toContain("pruned-repeat");
      expect(tree.leaves.find(({ branch }) => branch === "3")).toMatchObject({
        end: "pruned-repeat",
        reward: 0,
      });
      for (const { branch, reward } of tree.leaves)
        expect(reward, branch).toBe(branch.startsWith("0") ? 1 : 0);
      expect(tree.leaves.filter(({ node }) => node.turn === 50).length).toBeGreaterThanOrEqual(4);
      const { stdout } = await promisify(exec)(`docker ps -aq --filter label=forkgym.run=${run}`);
      expect(stdout).toBe("");
    }, 400_000);
  },
);
