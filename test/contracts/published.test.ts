import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, inject, test } from "vitest";

/** Runs a test file of an author's, who has installed the package, with vitest. */
function authorsTest(name: string, change: (code: string) => string): string {
  const folder = inject("packageFolder");
  const own = join(folder, "author", name);
  mkdirSync(own, { recursive: true });
  const code = readFileSync("examples/own-env.ts", "utf8").split("const task =")[0]!;
  const call = `
import fc from "fast-check";
import { testEnv } from "forkgym/testing";
const task = { id: "guess/3", data: { max: 3, maxTurns: 4 } };
const ending = { task, seed: 1, actions: [0, 0, 0, 0] };
testEnv({ make: () => new GuessEnv(), tasks: [task], action: fc.integer({ min: 1, max: 3 }), ending, replay: { seed: 1 } });
`;
  const unused = 'import { scripted } from "forkgym/agents";\n';
  writeFileSync(join(own, "own.test.ts"), change(code.replace(unused, "")) + call);
  writeFileSync(join(own, "vitest.config.js"), "export default {};\n");
  const vitest = resolve("node_modules/vitest/vitest.mjs");
  const args = [
    vitest,
    "run",
    "--root",
    own,
    "--config",
    join(own, "vitest.config.js"),
    "--reporter",
    "verbose",
  ];
  const { stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1", CI: "1" },
  });
  return stdout + stderr;
}

test("an author's own Env passes the contract from the published package", () => {
  const output = authorsTest("good", (code) => code);
  expect(output).toContain("the Env contract > a fork never reaches its parent");
  expect(output).toMatch(/Tests\s+24 passed \(24\)/);
});

test("one whose fork is its parent is told the law, and a seed and a path to repeat it", () => {
  const output = authorsTest("bad", (code) =>
    code.replace("const fork = new GuessEnv()", "const fork = this"),
  );
  expect(output).toContain("× own.test.ts > the Env contract > a fork never reaches its parent");
  expect(output).toMatch(/seed: 1, path: "[\d:]+"/);
});
