import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lookCommand, tryCommand } from "../../../agents/repair/commands.ts";
import type { Node } from "../../../core/rollout/tree.ts";
import type { Task } from "../../../core/task.ts";
import type { SweInstance } from "../../../envs/swe-bench/instance.ts";
import { sweProgress } from "../../../envs/swe-bench/progress.ts";
import type { SweAction, SweObservation } from "../../../envs/swe-bench/types.ts";

const problemStatement =
  "`total` is wrong\n\n```python\nfrom shop.cart import total\nassert total([1]) == 1\n```\n";

/** An instance that lets nobody see what is hidden. */
const data = Object.defineProperty(
  {
    id: "shop-1",
    family: "swe-bench",
    repo: "a/shop",
    baseCommit: "0".repeat(40),
    problemStatement,
    image: "shop",
  },
  "hidden",
  {
    enumerable: true,
    get() {
      throw new Error("somebody looked at what is hidden");
    },
  },
) as unknown as SweInstance;
const task: Task<SweInstance> = { id: "shop-1", data };

type Turn = readonly [SweAction, text?: string, exitCode?: number | null];

function pathOf(turns: readonly Turn[]): Node<SweObservation, SweAction> {
  const sight = (turn: number, text: string, exitCode: number | null): SweObservation => ({
    text,
    turn,
    turnsLeft: 50 - turn,
    exitCode,
  });
  let node: Node<SweObservation, SweAction> = {
    branch: "0",
    turn: 0,
    observation: sight(0, "", null),
    reward: 0,
    repeats: 0,
  };
  for (const [action, text = "", exitCode = null] of turns) {
    const turn = node.turn + 1;
    node = {
      parent: node,
      branch: "0",
      turn,
      observation: sight(turn, text, exitCode),
      choice: { action },
      reward: 0,
      repeats: 1,
    };
  }
  return node;
}

function score(turns: readonly Turn[]): number {
  const result = sweProgress.score({ task, node: pathOf(turns), signal: new AbortController().signal });
  return result as number;
}

const bash = (command: string, text = "", exitCode = 0): Turn => [
  { tool: "execute_bash", arguments: { command } },
  text,
  exitCode,
];
const call = (tool: string, args: Record<string, string>, text = ""): Turn => [
  { tool, arguments: args },
  text,
];

const run = "python /tmp/reproduce.py";
const scaffolds: Readonly<Record<string, Record<"look" | "script" | "pass" | "fail" | "edit", Turn>>> = {
  r2egym: {
    look: call("file_editor", { command: "view", path: "/testbed/shop/cart.py" }, "1 def total(x):"),
    script: call("file_editor", { command: "create", path: "/tmp/reproduce.py", file_text: "assert 1" }),
    pass: [{ tool: "execute_bash", arguments: { cmd: run } }, "Exit code: 0", 0],
    fail: [{ tool: "execute_bash", arguments: { cmd: run } }, "Exit code: 1\nAssertionError", 1],
    edit: call("file_editor", {
      command: "str_replace",
      path: "/testbed/shop/cart.py",
      old_str: "a",
      new_str: "b",
    }),
  },
  sweagent: {
    look: call("str_replace_editor", { command: "view", path: "/testbed/shop/cart.py" }),
    script: call("str_replace_editor", { command: "create", path: "/testbed/reproduce.py", file_text: "x" }),
    pass: bash(run, "", 0),
    fail: bash(run, "Traceback (most recent call last):\nAssertionError", 1),
    edit: call("str_replace_editor", {
      command: "insert",
      path: "shop/cart.py",
      insert_line: "1",
      new_str: "b",
    }),
  },
  mini: {
    look: [{ tool: "bash", arguments: { command: "cat shop/cart.py" } }, "def total(x):", 0],
    script: [{ tool: "bash", arguments: { command: "cat > reproduce.py <<'EOF'\nassert 1\nEOF" } }, "", 0],
    pass: [{ tool: "bash", arguments: { command: "python reproduce.py" } }, "", 0],
    fail: [{ tool: "bash", arguments: { command: "python reproduce.py" } }, "AssertionError", 1],
    edit: [{ tool: "bash", arguments: { command: "sed -i 's/1/2/' shop/cart.py" } }, "", 0],
  },
};

describe.each(Object.entries(scaffolds))("a path of %s", (_, { look, script, pass, fail, edit }) => {
  test("whose script passes after the edit is above one whose script fails, one without an edit, one that repeats", () => {
    const passes = score([look, script, fail, edit, pass]);
    const unknown = score([look, script, fail, edit, look]);
    const fails = score([look, script, fail, edit, fail]);
    const never = score([look, script, fail, look, script]);
    const repeats = score([look, look, look, look, look]);
    expect(passes).toBeGreaterThan(0.9);
    expect(passes).toBeGreaterThan(unknown);
    expect(unknown).toBeGreaterThan(fails);
    expect(fails).toBeGreaterThan(never);
    expect(never).toBeGreaterThan(repeats);
    expect(repeats).toBeGreaterThan(0);
  });

  test("that passed before its last edit has to pass again", () => {
    const [action] = edit as readonly [{ readonly tool: string; readonly arguments: Record<string, string> }];
    const other: Turn = [{ ...action, arguments: { ...action.arguments, concise: "no" } }];
    expect(score([look, fail, edit, pass, other])).toBeLessThan(score([look, fail, edit, pass]));
    expect(score([look, fail, edit, pass, other, pass])).toBeGreaterThan(0.8);
  });

  test("that only ran something that passes, without an edit, has shown nothing", () => {
    expect(score([look, script, pass])).toBeLessThan(0.2);
  });
});

describe("sweProgress", () => {
  const edit = bash("sed -i 's/1/2/' shop/cart.py");
  const tests = (failed: number): Turn =>
    bash("pytest", `== ${failed} failed, ${4 - failed} passed in 1s ==`, 1);

  test.each<[string, Turn[], Turn[]]>([
    ["more tests that pass", [edit, tests(1)], [edit, tests(2)]],
    ["an edit of a file that the issue names", [edit], [bash("sed -i 's/1/2/' shop/other.py")]],
    ["an edit of source and not of a test", [edit], [bash("sed -i 's/1/2/' tests/test_cart.py")]],
    [
      "an edit and not a failed one",
      [call("file_editor", { command: "insert", path: "shop/cart.py" })],
      [call("file_editor", { command: "insert", path: "shop/cart.py" }, "ERROR: no such line")],
    ],
    ["an edit that stands", [edit, bash("git diff")], [edit, bash("git checkout -- shop/cart.py")]],
    ["a real reply", [bash("ls"), bash("cat shop/cart.py")], [bash("ls"), [{ invalid: "no call" }]]],
    ["a new look", [bash("ls"), bash("cat a.py")], [bash("ls"), bash("ls")]],
    ["a look at what is named", [bash("cat shop/cart.py")], [bash("cat shop/other.py")]],
    [
      "a file found by what it defines",
      [bash("grep -rn total .", "shop/sum.py:3:def total(x):"), bash("sed -i 1d shop/sum.py")],
      [bash("grep -rn total .", "shop/sum.py:3:x = 1"), bash("sed -i 1d shop/sum.py")],
    ],
    [
      "a small change",
      [edit],
      [call("file_editor", { command: "str_replace", path: "shop/cart.py", new_str: "x\n".repeat(500) })],
    ],
    [
      "all runs since the edit",
      [edit, bash("python a.py"), bash("python b.py")],
      [edit, bash("python a.py", "", 1), bash("python b.py")],
    ],
    [
      "running again after an edit, which repeats nothing",
      [edit, bash(run, "", 1), edit, bash(run, "", 1)],
      [edit, edit, bash(run, "", 1), bash(run, "", 1)],
    ],
    [
      "one command that edits and then runs",
      [bash("sed -i 1d shop/cart.py && pytest", "== 2 passed in 1s ==")],
      [bash("pytest; sed -i 1d shop/cart.py", "== 2 passed in 1s ==")],
    ],
  ])("prefers %s", (_, better, worse) => {
    expect(score(better)).toBeGreaterThan(score(worse));
  });

  test("agents/repair is understood: a look, a try that is taken back, one that helps, one that solves", () => {
    const attempt = { kind: "compare", path: "shop/cart.py", line: 2, before: "a < b", after: "a <= b" };
    const seen = (failed: number): string =>
      `Ran 9 tests\n\nOK\nRan 3 checks of the issue\n\n${failed ? `FAILED (failures=${failed})` : "OK"}\n@@repair {}`;
    const look = bash(lookCommand(problemStatement, "python3"), seen(3), 1);
    const tried = (failed: number, exitCode: number): Turn =>
      bash(tryCommand({ ...attempt, after: `${failed} <= b` }, "python3"), seen(failed), exitCode);
    const scores = [
      [look],
      [look, tried(3, 1)],
      [look, tried(3, 1), tried(1, 0)],
      [look, tried(1, 0), tried(0, 0)],
    ].map(score);
    expect(scores).toEqual([...scores].sort((a, b) => a - b));
    expect(new Set(scores).size).toBe(4);
    expect(scores[1]).toBeLessThan(0.5);
    expect(scores[3]).toBeGreaterThan(0.9);
  });

  describe.each(["file_editor", "str_replace_editor"])("undo_edit of %s", (tool) => {
    const change = (old_str: string, path = "/testbed/shop/cart.py"): Turn =>
      call(
        tool,
        { command: "str_replace", path, old_str, new_str: "x\n".repeat(100) },
        `${path} was edited.`,
      );
    const undo = (text: string, path = "/testbed/shop/cart.py"): Turn =>
      call(tool, { command: "undo_edit", path }, `Execution output of [${tool}]:\n${text}`);
    const undone = undo("The last edit was undone.");
    const view = call(tool, { command: "view", path: "/testbed/shop/cart.py" });

    test("of the only edit leaves what the path had before it", () => {
      expect(score([view, change("a"), undone])).toBe(score([view]));
      expect(score([view, change("a"), bash("pytest", "1 passed"), undone])).toBe(score([view]));
      const other = "/testbed/shop/tax.py";
      expect(score([view, change("a"), change("b", other), undone])).toBe(score([view, change("b", other)]));
    });

    test("takes back one edit of its file, not all", () => {
      expect(score([change("a"), change("b"), undone])).toBe(score([change("a")]));
      expect(score([change("a"), change("b"), undone, view, undone])).toBe(score([view]));
    });

    test("that was refused, or is of another file, takes nothing back", () => {
      const refused = undo("ERROR: There is no edit of /testbed/shop/cart.py to undo.");
      for (const turn of [refused, undo("The last edit was undone.", "/tmp/reproduce.py")])
        expect(score([change("a"), turn])).toBe(score([change("a")]));
    });

    test("has what ran before it run again", () => {
      const passes = bash("pytest", "4 passed");
      const half = score([change("a"), change("b"), passes, undone]);
      expect(half).toBe(score([change("a"), change("b"), undone]));
      expect(score([change("a"), change("b"), undone, passes])).toBeGreaterThan(half);
    });
  });

  test("an empty path scores 0", () => {
    expect(score([])).toBe(0);
  });

  test("how the episode ended is not looked at", () => {
    const node = pathOf([edit]);
    const at = (end?: "success" | "failure"): unknown =>
      sweProgress.score({
        task,
        node: { ...node, ...(end && { end, reward: 1 }) },
        signal: new AbortController().signal,
      });
    expect(at("success")).toBe(at());
    expect(at("failure")).toBe(at());
  });

  const words = fc.constantFrom(
    ..."ls cat sed -i python3 -c pytest git checkout -- > >> << 'EOF' EOF && || ; | { } ' \" shop/cart.py /tmp/x.py \n".split(
      " ",
    ),
  );
  const script = fc.oneof(
    fc.string(),
    fc.array(words).map((parts) => parts.join(" ")),
  );
  const action: fc.Arbitrary<SweAction> = fc.oneof(
    fc.record({ invalid: fc.string() }),
    script.map((command) => ({ tool: "execute_bash", arguments: { command } })),
    script.map((cmd) => ({ tool: "bash", arguments: { cmd } })),
    fc.record({
      tool: fc.constantFrom("file_editor", "str_replace_editor", "search", "finish", "what"),
      arguments: fc.dictionary(
        fc.constantFrom("command", "path", "old_str", "new_str", "file_text"),
        fc.oneof(fc.constantFrom("view", "create", "str_replace", "undo_edit", "shop/cart.py"), fc.string()),
      ),
    }),
  );
  const turn = fc.tuple(
    action,
    fc.oneof(
      fc.string(),
      fc.constantFrom("Ran 3 tests in 1s\n\nFAILED (failures=9)", "1 failed, 2 passed", "Ran 0 tests"),
    ),
    fc.option(fc.integer({ min: -1, max: 255 })),
  ) as fc.Arbitrary<Turn>;

  test("a score is from 0 to 1, the same for the same path, and the same turn by turn as at once", () => {
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 12 }), (turns) => {
        const whole = score(turns);
        expect(whole).toBeGreaterThanOrEqual(0);
        expect(whole).toBeLessThanOrEqual(1);
        expect(score(turns)).toBe(whole);
        const node = pathOf(turns);
        const signal = new AbortController().signal;
        for (let depth = 0; depth <= turns.length; depth++) {
          let at: Node<SweObservation, SweAction> = node;
          while (at.turn > depth) at = at.parent!;
          sweProgress.score({ task, node: at, signal });
        }
        expect(sweProgress.score({ task, node, signal })).toBe(whole);
      }),
    );
  });

  test("a node costs its own turn, not its path", () => {
    const turns = Array.from({ length: 3000 }, (_, at) => bash(`sed -i ${at}d shop/cart.py`));
    let node = pathOf(turns);
    const signal = new AbortController().signal;
    sweProgress.score({ task, node, signal });
    // Once more on nodes whose parents may no longer be read.
    const { parent } = node;
    Object.defineProperty(parent!, "observation", {
      get() {
        throw new Error("read again");
      },
    });
    node = { ...node, parent: parent! };
    expect(sweProgress.score({ task, node, signal })).toBeGreaterThan(0);
  });
});
