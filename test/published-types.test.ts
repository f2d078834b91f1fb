import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { expect, inject, test } from "vitest";

const folder = inject("packageFolder");
const { exports, dependencies, peerDependencies } = JSON.parse(readFileSync("package.json", "utf8")) as {
  readonly exports: Record<string, unknown>;
  readonly dependencies: Record<string, string>;
  readonly peerDependencies: Record<string, string>;
};
const entries = Object.keys(exports)
  .filter((entry) => entry !== "./package.json")
  .map((entry) => entry.replace(".", "forkgym"));

/** What the compiler says of a user's file, the declarations of packages checked too. */
function compiled(name: string, code: string, options: object, ...args: string[]): string {
  const own = join(folder, name);
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, "user.ts"), code);
  const compilerOptions = { strict: true, module: "nodenext", target: "es2023", noEmit: true, ...options };
  const config = { compilerOptions: { ...compilerOptions, skipLibCheck: false }, files: ["user.ts"] };
  writeFileSync(join(own, "tsconfig.json"), JSON.stringify(config));
  const compiler = resolve("node_modules/typescript/bin/tsc");
  return spawnSync(process.execPath, [compiler, "-p", own, ...args], { encoding: "utf8" }).stdout;
}

const all = entries.map((entry, at) => `export * as entry${at} from "${entry}";\n`).join("");

test("every entry compiles with skipLibCheck off", () => {
  expect(compiled("types-node", all, { types: ["node"] })).toBe("");
});

test("those that have nothing to do with Docker name no `Buffer` of Node's", () => {
  const free = ["forkgym", "forkgym/agents", "forkgym/frozen-lake", "forkgym/wasmer"];
  const code = free.map((entry, at) => `export * as entry${at} from "${entry}";\n`).join("");
  expect(compiled("types-free", code, { types: [] })).not.toContain("Buffer");
});

test("types of what the declarations import come with the package", () => {
  const listed = compiled("types-listed", all, { types: ["node"] }, "--listFilesOnly")
    .trim()
    .split("\n");
  const own = listed.filter((file) => file.startsWith(join(folder, "dist")));
  expect(own.length).toBeGreaterThan(100);
  for (const file of own) {
    for (const [, name] of readFileSync(file, "utf8").matchAll(/from "((?:@[\w-]+\/)?[\w-]+)[/"]/g)) {
      const typed = `@types/${name}`;
      const wanted = existsSync(join("node_modules", typed)) ? typed : name!;
      const come = wanted in dependencies || wanted in peerDependencies;
      expect(come, `${relative(folder, file)} needs ${wanted}`).toBe(true);
    }
  }
});

test("types that public signatures use are exported", () => {
  const named = {
    forkgym: "JsonLine, JsonlLog, SandboxSource, Weighted",
    "forkgym/agents": "AdamOptions, BatchOptions, CircuitOptions, Timer",
    "forkgym/swe-bench": "InfraFailure",
  };
  const code = Object.entries(named).map(([entry, names]) => `export type { ${names} } from "${entry}";\n`);
  expect(compiled("types-named", code.join(""), { types: ["node"] })).toBe("");
});
