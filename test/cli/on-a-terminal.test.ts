import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, inject, test } from "vitest";

const hasScript = spawnSync("script", ["--version"]).status === 0;

/** Two lines and a note while a bar is up. */
const program = (output: string): string => `
  import { createOutput } from ${JSON.stringify(output)};
  const output = createOutput({ json: false });
  const bar = output.progress("eval", 2);
  for (const [at, name] of ["one", "two"].entries()) {
    output.line("row " + name);
    bar.update(at + 1);
  }
  output.note("a note");
  bar.stop();
  output.line("summary");`;

test.skipIf(!hasScript)(
  `a line goes above the bar, which is gone at the end${hasScript ? "" : " (skipped: needs script of util-linux)"}`,
  () => {
    const url = new URL(`file://${join(inject("packageFolder"), "dist/cli/output.js")}`).href;
    const command = `"${process.execPath}" --input-type=module -e '${program(url)}'`;
    const written = execFileSync("script", ["-qec", command, "/dev/null"], { encoding: "utf8" });
    // The bar's line is cleared, the text is written there, and the bar's place is where the cursor is then.
    for (const text of ["row one", "row two", "a note"])
      expect(written).toContain(`\r\x1b[K${text}\r\n\x1b7`);
    const end = written.slice(written.lastIndexOf("\x1b8"));
    expect(end).toContain("summary");
    expect(end).not.toContain("eval");
  },
);
