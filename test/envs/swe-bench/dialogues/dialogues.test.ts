import { describe, expect, test } from "vitest";
import type { TokenUsage } from "../../../../core/policy.ts";
import type { Node } from "../../../../core/rollout/tree.ts";
import type { Task } from "../../../../core/task.ts";
import type { SweInstance } from "../../../../envs/swe-bench/instance.ts";
import { scaffolds } from "../../../../envs/swe-bench/scaffolds.ts";
import type { SweAction, SweObservation } from "../../../../envs/swe-bench/types.ts";

type SweNode = Node<SweObservation, SweAction>;

/** A task whose hidden part nobody may read. */
const task: Task<SweInstance> = {
  id: "me__lib-1",
  data: {
    id: "me__lib-1",
    family: "swe-bench",
    repo: "me/lib",
    baseCommit: "0".repeat(40),
    problemStatement: "The <b>sum</b> of $1 and $& is wrong.",
    image: "none",
    get hidden(): never {
      throw new Error("a dialogue read what is hidden");
    },
  },
};

/** The nodes of a branch of `turns` turns that was given `limit`; each costs what `usage` says. */
function branch(
  turns: number,
  limit: number,
  usage: (turn: number) => TokenUsage | undefined = () => undefined,
): SweNode {
  let node: SweNode = {
    branch: "0",
    turn: 0,
    observation: { text: "", turn: 0, turnsLeft: limit, exitCode: null },
    reward: 0,
    repeats: 0,
  };
  for (let turn = 1; turn <= turns; turn++) {
    const cost = usage(turn);
    node = {
      parent: node,
      branch: "0",
      turn,
      observation: { text: `answer ${turn}`, turn, turnsLeft: limit - turn, exitCode: 0 },
      choice: { action: { tool: "submit", arguments: {} }, ...(cost ? { usage: cost } : {}) },
      reward: 0,
      repeats: 0,
    };
  }
  return node;
}

describe.each(Object.values(scaffolds))("the dialogue of $name", (scaffold) => {
  const { dialogue, tools } = scaffold;

  test("opens with a system message that names every tool", () => {
    const messages = dialogue.opening(task);
    expect(messages.map(({ role }) => role)).toEqual(["system"]);
    const names = scaffold.name === "mini" ? ["mswea_bash_command"] : Object.keys(tools);
    for (const name of names) expect(messages[0]!.content).toContain(name);
  });

  test("gives the problem first, as it is written, and never what is hidden", () => {
    const first = dialogue.observe(task, branch(0, 50));
    expect(first.role).toBe("user");
    const tag = scaffold.name === "mini" ? "pr_description" : "github_issue";
    expect(first.content).toContain(`<${tag}>\n${task.data.problemStatement}\n</${tag}>`);
    const later = dialogue.observe(task, branch(3, 50));
    expect(later.content).toMatch(/^answer 3/);
    expect(later.content).not.toContain(task.data.problemStatement);
  });

  test("the example that it shows is a reply that it reads", () => {
    const text = dialogue.opening(task)[0]!.content;
    expect(dialogue.parse(text)).toMatchObject({ tool: scaffold.name === "mini" ? "bash" : "NAME" });
  });

  test("a reply without a call is an invalid action that says how to write one", () => {
    const action = dialogue.parse("I am done.");
    expect("invalid" in action && action.invalid).toMatch(/Write exactly one/);
  });
});

describe.each([scaffolds.r2egym, scaffolds.sweagent])("the steps that $name tells of", ({ dialogue }) => {
  const said = (turns: number, usage?: (turn: number) => TokenUsage) =>
    dialogue.observe(task, branch(turns, 50, usage)).content;

  test("are those after the next reply, down to the last", () => {
    expect(said(0)).toMatch(/\nSteps Remaining: 49$/);
    expect(said(1)).toBe("answer 1\nSteps Remaining: 48");
    expect(said(48)).toBe("answer 48\nSteps Remaining: 1");
    expect(said(49)).toMatch(/^answer 49\nThis is your last step\..* submit it now\.$/);
  });

  test("and tokens, from 28,000 of them after the first prompt on", () => {
    const usage = (total: number) => (turn: number) => ({
      promptTokens: turn === 1 ? 2000 : 2000 + total - 100,
      generatedTokens: 100,
    });
    expect(said(3, usage(27_999))).toBe("answer 3\nSteps Remaining: 46");
    expect(said(3, usage(28_000))).toBe(
      "answer 3\nSteps Remaining: 46\nYour tokens are nearly used up. Submit now.",
    );
  });
});

test("both function-call scaffolds tell of the same rules for commands, and r2egym alone of undo_edit", () => {
  const [r2egym, sweagent] = [scaffolds.r2egym, scaffolds.sweagent].map(
    ({ dialogue }) => dialogue.opening(task)[0]!.content,
  );
  for (const text of [r2egym, sweagent]) {
    expect(text).toContain("Each command has a new shell");
    expect(text).toContain("git, ipython, jupyter and nohup are refused");
    expect(text).toContain("view shows a Python file (.py)");
  }
  expect(r2egym).toContain("undo_edit");
  expect(sweagent).not.toContain("undo_edit");
});

test("mini tells of no steps", () => {
  expect(scaffolds.mini.dialogue.observe(task, branch(1, 2)).content).toBe("answer 1");
});
