import { describe, expect, test } from "vitest";
import { type RepairTools, repairPolicy } from "../../../agents/repair/repair.ts";
import type { Report, Spot } from "../../../agents/repair/report.ts";
import type { Decision, PolicyTurn } from "../../../core/policy.ts";
import { createRng } from "../../../core/rng.ts";
import type { Node } from "../../../core/rollout/tree.ts";
import type { Task } from "../../../core/task.ts";

type Sight = { readonly text: string; readonly turnsLeft: number };

const tools: RepairTools<string, Sight, string> = {
  issueOf: ({ data }) => data,
  bash: (script) => script,
  submit: () => "submit",
  read: (sight) => sight,
};
const task: Task<string> = { id: "one", data: "```python\nassert f(1) == 2\n```" };
const spot: Spot = {
  path: "pkg/a's.py",
  name: "f",
  from: 10,
  text: ["def f(x):", "    return x/1 & 1 < x"],
  score: [0, 50],
  parameters: ["x"],
  names: ["x"],
};
const report = (verdict: Report["verdict"], spots?: readonly Spot[]): string =>
  `Ran 1 checks\n@@repair ${JSON.stringify({ verdict, targets: 1, reached: 0, ...(spots && { spots }) })}\n`;

/** Plays the policy against what `answer` says to each of its turns; gives the nodes and what was done. */
async function play(
  answer: (done: number, sample: Sample) => string,
  { turns = 50, seed = "seed", from }: { turns?: number; seed?: string; from?: Node<Sight, string> } = {},
): Promise<Node<Sight, string>> {
  const policy = repairPolicy(tools);
  const rng = createRng(seed);
  let node: Node<Sight, string> = from ?? {
    branch: "0",
    turn: 0,
    observation: { text: "", turnsLeft: turns },
    reward: 0,
    repeats: 0,
  };
  for (;;) {
    const turn: PolicyTurn<string, Sight, string> = {
      task,
      node,
      branch: "0",
      rng,
      signal: new AbortController().signal,
    };
    const choice = await policy.act(turn);
    const text = answer(node.turn, choice.sample as Sample);
    const observation = { text, turnsLeft: turns - node.turn - 1 };
    node = { parent: node, branch: "0", turn: node.turn + 1, observation, choice, reward: 0, repeats: 1 };
    if (choice.action === "submit") return node;
  }
}

type Sample = { readonly step: string; readonly why?: string; readonly attempt?: { readonly after: string } };

function choices(node: Node<Sight, string>): Decision<string>[] {
  const found: Decision<string>[] = [];
  for (let at: Node<Sight, string> | undefined = node; at?.choice !== undefined; at = at.parent) {
    found.push(at.choice);
  }
  return found.reverse();
}
const samples = (node: Node<Sight, string>): Sample[] => choices(node).map(({ sample }) => sample as Sample);
const stepsOf = (node: Node<Sight, string>): string[] => samples(node).map(({ step, why }) => why ?? step);
const tries = (node: Node<Sight, string>): string[] =>
  samples(node).flatMap(({ attempt }) => attempt?.after ?? []);

const same = (turn: number): string => (turn === 0 ? report("base", [spot]) : report("same"));

describe("repairPolicy", () => {
  test("looks, tries, and submits when every check passes", async () => {
    const end = await play((turn) => [report("base", [spot]), report("same"), report("solved")][turn] ?? "");
    expect(stepsOf(end)).toEqual(["look", "try", "try", "every check passes"]);
    const [look, first] = choices(end);
    expect(look!.action).toContain("assert f(1) == 2");
    expect(first!.action).toContain("sed -i '11s/.*/");
    expect(first!.action).toContain("'pkg/a'\\''s.py'");
  });

  test("tries nothing twice on a path, and submits when nothing is left", async () => {
    const end = await play(same, { turns: 500 });
    expect(stepsOf(end).at(-1)).toBe("nothing left to try");
    expect(tries(end).length).toBeGreaterThan(10);
    expect(new Set(tries(end)).size).toBe(tries(end).length);
  });

  test("submits with one turn left", async () => {
    const end = await play(same, { turns: 5 });
    expect(stepsOf(end)).toEqual(["look", "try", "try", "try", "no turns left"]);
  });

  test("looks again if the first look was cut off", async () => {
    const end = await play((turn) => ["timed out", report("base", [spot]), report("solved")][turn] ?? "");
    expect(stepsOf(end)).toEqual(["look", "look", "try", "every check passes"]);
  });

  test.each([
    ["no check fails", report("blind")],
    ["the checks do not run", "bash: python3: command not found\n"],
    ["the checks do not run", '@@repair {"verdict": "base", "targ'],
  ])("submits as it is when %s", async (why, text) => {
    const steps = stepsOf(await play(() => text));
    expect(steps).toEqual(why === "no check fails" ? ["look", why] : ["look", "look", why]);
  });

  test("builds on an edit that was kept: the next comes from the new stretches", async () => {
    const other: Spot = { ...spot, path: "b.py", text: ["    y = 1 < 2"], score: [10] };
    const end = await play((turn) =>
      turn === 0
        ? report("base", [spot])
        : turn === 1
          ? report("better", [other])
          : turn === 2
            ? report("same")
            : report("solved"),
    );
    const [, , second, third] = choices(end);
    expect(second!.action).toContain("'b.py'");
    expect(third!.action).toContain("'b.py'");
  });

  test("does not try what it tried before once lines have moved", async () => {
    const moved = { ...spot, from: 12 };
    const end = await play(
      (turn) =>
        turn === 0 ? report("base", [spot]) : turn === 5 ? report("better", [moved]) : report("same"),
      { turns: 500 },
    );
    expect(new Set(tries(end)).size).toBe(tries(end).length);
  });

  test("takes back what a command that was cut off may have left", async () => {
    const end = await play(
      (turn) => (turn === 0 ? report("base", [spot]) : turn === 1 ? "timed out" : report("solved")),
      {
        turns: 5,
      },
    );
    expect(stepsOf(end)).toEqual(["look", "try", "restore", "try", "no turns left"]);
    expect(choices(end)[2]!.action).toBe(
      "cat /tmp/repair/keep.py > 'pkg/a'\\''s.py'; cat /tmp/repair/keep.json > /tmp/repair/state.json",
    );
  });

  test("the probability of a choice is that of its draw, and 1 where there is nothing to choose", async () => {
    const single: Spot = { ...spot, text: ["a and b"], score: [10], names: [], parameters: [] };
    const end = await play((turn) => (turn === 0 ? report("base", [single]) : report("same")));
    expect(stepsOf(end)).toEqual(["look", "try", "nothing left to try"]);
    for (const { logprob, entropy } of choices(end)) expect([logprob, Math.abs(entropy!)]).toEqual([0, 0]);
    const [, drawn] = choices(await play(same));
    expect(drawn!.logprob).toBeLessThan(0);
    expect(drawn!.entropy).toBeGreaterThan(0);
  });

  test("draws in proportion to suspicion", async () => {
    const two: Spot = { ...spot, text: ["a and b", "c and d"], score: [90, 10], names: [], parameters: [] };
    let first = 0;
    for (let seed = 0; seed < 300; seed++) {
      const end = await play((turn) => (turn === 0 ? report("base", [two]) : report("solved")), {
        seed: `${seed}`,
      });
      if (tries(end)[0] === "a or b") first++;
    }
    expect(first).toBeGreaterThan(250);
    expect(first).toBeLessThan(290);
  });

  test("forks of a node go on by themselves: their streams decide, and no other branch", async () => {
    const end = await play(same, { turns: 8 });
    let node = end;
    while (node.turn > 4) node = node.parent!;
    const again = await play(same, { turns: 8, from: node, seed: "left" });
    const right = await play(same, { turns: 8, from: node, seed: "right" });
    const left = await play(same, { turns: 8, from: node, seed: "left" });
    expect(tries(left)).toEqual(tries(again));
    expect(tries(left)).not.toEqual(tries(right));
    for (const branch of [left, right]) expect(new Set(tries(branch)).size).toBe(tries(branch).length);
  });

  test("knows from the path alone: records that were read back say the same", async () => {
    const end = await play(same, { turns: 8 });
    const copy = (node: Node<Sight, string>): Node<Sight, string> => {
      const { parent, ...rest } = node;
      return { ...structuredClone(rest), ...(parent && { parent: copy(parent) }) };
    };
    const go = (from: Node<Sight, string>): Promise<Node<Sight, string>> =>
      play(same, { turns: 8, from, seed: "x" });
    expect(tries(await go(copy(end.parent!.parent!)))).toEqual(tries(await go(end.parent!.parent!)));
  });
});
