import { expect, onTestFinished, test } from "vitest";
import type { Snapshot } from "../../../core/env.ts";
import { tracedSandboxes } from "../../../core/trace/traced-sandboxes.ts";
import type { TraceAttributes, Tracer } from "../../../core/trace/tracer.ts";
import { LocalSandbox } from "../../fakes/local-sandbox.ts";

test("each command is a span, in what was opened and in its forks", async () => {
  const seen: [string, TraceAttributes][] = [];
  const tracer: Tracer = {
    span(name, attributes, run) {
      const all = { ...attributes };
      seen.push([name, all]);
      return run({ set: (more) => void Object.assign(all, more) });
    },
  };
  const sandbox = await LocalSandbox.make();
  const source = {
    name: "local",
    open: async (_: string) => sandbox,
    fork: (snapshot: Snapshot) => sandbox.fork(snapshot),
  };
  const traced = tracedSandboxes(source, tracer);
  expect(traced.name).toBe("local");
  const opened = await traced.open("any");
  const { stdout } = await opened.exec("cd / && pwd && exit 3", { keepShell: true });
  await opened.exec(["sleep", "9"], { timeoutMs: 30 });
  expect([stdout.text, opened.shell.cwd, opened.flags.backend]).toEqual(["/\n", "/", "local"]);
  const snapshot = await opened.snapshot();
  const forks = [await traced.fork(snapshot), await opened.fork(snapshot)];
  onTestFinished(() => Promise.all([opened, ...forks].map((each) => each.close())).then(() => {}));
  for (const fork of forks) await fork.exec(`echo ${"x".repeat(200)}`);
  await opened.release(snapshot);
  const long = { "forkgym.command": `echo ${"x".repeat(95)}…`, "process.exit.code": 0 };
  expect(seen.map(([name]) => name)).toEqual(Array(4).fill("forkgym.command"));
  expect(seen.map(([, attributes]) => attributes)).toMatchObject([
    {
      "forkgym.command": "cd / && pwd && exit 3",
      "process.exit.code": 3,
      "forkgym.command.timed_out": false,
    },
    { "forkgym.command": "sleep 9", "process.exit.code": 137, "forkgym.command.timed_out": true },
    long,
    long,
  ]);
});
