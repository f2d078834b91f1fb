import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, inject, onTestFinished, test } from "vitest";
import { dockerTest, image, leftOf } from "../../core/sandbox/docker/docker.ts";
import { forkgym, freshFolder } from "../forkgym.ts";

interface Driven {
  readonly process: ChildProcess;
  /** What it has printed so far. */
  out(): string;
  readonly ended: Promise<{ code: number | null; stdout: string; stderr: string }>;
}

/** A shell whose input is a pipe. */
function shell(...args: string[]): Driven {
  const main = join(inject("packageFolder"), "dist/cli/main.js");
  const child = spawn(process.execPath, [main, "shell", image!, ...args], { stdio: "pipe" });
  onTestFinished(() => void child.kill("SIGKILL"));
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (text: Buffer) => {
    stdout += text;
  });
  child.stderr.on("data", (text: Buffer) => {
    stderr += text;
  });
  const ended = new Promise<Awaited<Driven["ended"]>>((resolve) => {
    child.on("close", (code) => resolve({ code, stdout, stderr }));
  });
  return { process: child, out: () => stdout, ended };
}

async function script(lines: readonly string[], ...args: string[]): ReturnType<typeof run> {
  return run(shell(...args), lines);
}

async function run(driven: Driven, lines: readonly string[]): Promise<Awaited<Driven["ended"]>> {
  driven.process.stdin!.end(`${lines.join("\n")}\n`);
  const ended = await driven.ended;
  expect(await leftOf([driven.process.pid!])).toEqual([]);
  return ended;
}

dockerTest("lines are commands, and their folder and variables last", async () => {
  const { code, stdout, stderr } = await script([
    "cd /tmp; export A=1",
    "",
    "  pwd; echo $A; printf no-newline  ",
    "echo; echo oops >&2; (exit 3)",
    ":exit",
    "echo not reached",
  ]);
  expect([code, stdout, stderr]).toEqual([0, "/tmp\n1\nno-newline\noops\n", "exit code 3\n"]);
});

dockerTest("branches are forked, switched and shown", async () => {
  const { code, stdout, stderr } = await script([
    "cd /tmp; echo 1 > n",
    ":snapshot",
    ":fork left",
    "echo 2 > n",
    ":fork",
    "cat n",
    ":fork right s1",
    "cat n; cd /",
    ":switch left",
    "cat n",
    ":branches",
    ":switch",
    "cat n",
  ]);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout.split("\n")).toEqual([
    "snapshot s1 of main",
    "branch left of main",
    "branch b1 of left",
    "2",
    "branch right of s1",
    "1",
    "2",
    "  main  /tmp",
    "    s1  (snapshot)",
    "      right  /",
    "*   left  /tmp",
    "      b1  /tmp",
    "1",
    "",
  ]);
});

dockerTest("with commits too, and wrong names are told", async () => {
  const { code, stdout, stderr } = await script(
    ["echo 1 > /n", ":fork a", ":fork a", ":fork b s9", ":switch c", ":jump", "cat /n", ":help"],
    "--engine",
    "commit",
  );
  expect(code).toBe(0);
  expect(stdout).toMatch(/^branch a of main\n1\nA line is a command/);
  expect(stderr.split("\n")).toEqual([
    "there is a a already",
    "no snapshot s9; try :branches",
    "no branch c; try :branches",
    "no command :jump; try :help",
    "",
  ]);
});

dockerTest("an interrupt kills the command and not the shell", async () => {
  const driven = shell();
  driven.process.stdin!.write("echo begun\nsleep 100\n");
  while (!driven.out().includes("begun")) await setTimeout(10);
  await setTimeout(100);
  driven.process.kill("SIGINT");
  const { code, stdout, stderr } = await run(driven, ["echo lives"]);
  expect([code, stdout, stderr]).toEqual([0, "begun\nlives\n", "interrupted\n"]);
});

dockerTest("between commands it ends a shell that reads from a pipe", async () => {
  const driven = shell();
  driven.process.stdin!.write("echo begun\n");
  while (!driven.out().includes("begun")) await setTimeout(10);
  await setTimeout(100);
  driven.process.kill("SIGINT");
  expect((await driven.ended).code).toBe(130);
  expect(await leftOf([driven.process.pid!])).toEqual([]);
});

dockerTest("a time limit is kept", async () => {
  const { code, stderr } = await script(["sleep 100"], "--timeout", "1");
  expect([code, stderr]).toEqual([0, "killed after 1 s\n"]);
});

test.each([
  ["shell", "missing required argument 'image'"],
  ["shell wasmer --timeout 0", "Expected a whole number from 1 up."],
])("a usage error is named and has code 2: %s", async (args, message) => {
  const { code, stderr } = await forkgym(await freshFolder(), args);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});
