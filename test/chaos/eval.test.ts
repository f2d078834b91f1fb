import { exec, spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, inject, test } from "vitest";
import { freshFolder } from "../cli/forkgym.ts";

// Restarts the Docker daemon: for a machine whose daemon is the tests' own, and in no run beside other Docker tests.
const restart = process.env.FORKGYM_RESTART_DOCKER;
const image = process.env.FORKGYM_SYMPY_IMAGE;
const shell = promisify(exec);
const COUNT = 64;

describe.skipIf(restart === undefined || image === undefined)(
  "eval while Docker fails (skipped without FORKGYM_RESTART_DOCKER, a command that restarts the daemon, and FORKGYM_SYMPY_IMAGE)",
  () => {
    test("64 evaluations, three containers killed, the daemon restarted, the run interrupted: no false verdict", async () => {
      const folder = await freshFolder();
      await writeFile(join(folder, "rows.jsonl"), rows());
      await writeFile(join(folder, "predictions.jsonl"), predictions());

      const first = evaluate(folder);
      await first.until(6);
      for (let kill = 0; kill < 3; kill++) {
        await killOne(first);
        await first.until(8 + 3 * kill);
      }
      await first.until(18);
      await shell(restart!);
      await first.until(34);
      first.stop();
      expect(await first.ended).toBe(130);
      expect(first.lines().at(-1)).toMatch(/^stopped with \d+ of 64; the same command goes on$/);

      const second = evaluate(folder);
      expect(await second.ended).toBe(0);
      const before = second.lines().filter((line) => line.endsWith("from before")).length;
      expect(before).toBeGreaterThanOrEqual(30);

      const report = JSON.parse(await readFile(join(folder, "chaos.forkgym.json"), "utf8")) as Report;
      expect(report.submitted_ids).toHaveLength(COUNT);
      const wrong = (id: string) => Number(id.split("-")[1]) % 3 === 0;
      expect(report.resolved_ids.filter(wrong)).toEqual([]);
      expect(report.unresolved_ids.filter((id) => !wrong(id))).toEqual([]);
      expect(report.resolved_ids.length + report.unresolved_ids.length + report.error_ids.length).toBe(COUNT);
      // Tries are many enough that nothing is left without a verdict once Docker is back.
      expect(report.error_ids).toEqual([]);
      const { stdout } = await shell("docker ps -aq --filter label=forkgym");
      expect(stdout).toBe("");
    }, 600_000);
  },
);

interface Report {
  readonly submitted_ids: readonly string[];
  readonly resolved_ids: readonly string[];
  readonly unresolved_ids: readonly string[];
  readonly error_ids: readonly string[];
}

/** Rows whose test takes two seconds and looks into a file that the patch makes. */
function rows(): string {
  return lines((id) => ({
    instance_id: id,
    repo: "forkgym/chaos",
    base_commit: "0".repeat(40),
    patch: patch("right"),
    test_patch:
      "diff --git a/check.txt b/check.txt\nnew file mode 100644\n--- /dev/null\n+++ b/check.txt\n@@ -0,0 +1 @@\n+x\n",
    problem_statement: "make it right",
    version: "1",
    FAIL_TO_PASS: JSON.stringify(["test_it"]),
    PASS_TO_PASS: "[]",
    image,
    eval_script: [
      "#!/bin/bash",
      "set -uxo pipefail",
      "cd /testbed",
      ": '>>>>> Start Test Output'",
      "sleep 2",
      'grep -q right made.txt && echo "test_it ok" || echo "test_it F"',
      ": '>>>>> End Test Output'",
      "",
    ].join("\n"),
    log_parser: "parse_log_sympy",
    eval_type: "pass_and_fail",
  }));
}

function predictions(): string {
  return lines((id, at) => ({
    instance_id: id,
    model_name_or_path: "chaos",
    model_patch: patch(at % 3 === 0 ? "wrong" : "right"),
  }));
}

function lines(make: (id: string, at: number) => object): string {
  return Array.from(
    { length: COUNT },
    (_, at) => `${JSON.stringify(make(`forkgym__chaos-${at}`, at))}\n`,
  ).join("");
}

function patch(text: string): string {
  return `diff --git a/made.txt b/made.txt\nnew file mode 100644\n--- /dev/null\n+++ b/made.txt\n@@ -0,0 +1 @@\n+${text}\n`;
}

/** One of the containers that run now is killed, as by the kernel. */
async function killOne({ over }: { over(): boolean }): Promise<void> {
  while (!over()) {
    const { stdout } = await shell("docker ps -q --filter label=forkgym | head -1");
    const id = stdout.trim();
    if (
      id !== "" &&
      (await shell(`docker kill ${id}`).then(
        () => true,
        () => false,
      ))
    )
      return;
  }
}

function evaluate(folder: string) {
  const args = ["eval", "--dataset", "rows.jsonl", "--predictions", "predictions.jsonl", "--workers", "4"];
  const main = join(inject("packageFolder"), "dist/cli/main.js");
  const child = spawn(process.execPath, [main, ...args, "--backend", "docker", "--retries", "8"], {
    cwd: folder,
  });
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => process.stderr.write(chunk));
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  const read = () => text.split("\n").filter((line) => line !== "");
  return {
    ended,
    over: () => child.exitCode !== null,
    lines: read,
    stop: () => child.kill("SIGINT"),
    /** Waits until so many tasks are done. */
    async until(count: number): Promise<void> {
      while (read().length < count && child.exitCode === null) {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
  };
}
