import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { CLOSE_MS } from "../core/rollout/limits.ts";
import { arpo } from "../core/rollout/strategies/arpo.ts";
import { patr } from "../core/rollout/strategies/patr.ts";
import { environments } from "../envs/index.ts";
import { envLaws } from "./contracts/index.ts";

const folder = inject("packageFolder");
const pages = [
  "README.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  ...readdirSync("docs").map((name) => `docs/${name}`),
].filter((name) => name.endsWith(".md"));
const read = (name: string) => readFileSync(name, "utf8");
const blocks = (text: string, language: string) =>
  [...text.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, "g"))].map(([, code]) => code!);

function forkgym(...args: string[]): string {
  return execFileSync(process.execPath, [join(folder, "dist/cli/main.js"), ...args], { encoding: "utf8" });
}

describe("programs in the docs and in examples/", () => {
  const programs = [
    ...readdirSync("examples").map((name) => [name.replace(".ts", ""), read(`examples/${name}`)] as const),
    ...pages.flatMap((page) =>
      blocks(read(page), "ts").map((code, at) => [`${page.replaceAll(/\W/g, "-")}-${at}`, code] as const),
    ),
  ];

  beforeAll(() => {
    mkdirSync(join(folder, "programs"));
    for (const [name, code] of programs) writeFileSync(join(folder, "programs", `${name}.ts`), code);
    const compilerOptions = {
      noEmit: false,
      declaration: false,
      isolatedDeclarations: false,
      skipLibCheck: false,
      rootDir: "programs",
      outDir: "programs-out",
    };
    const config = { extends: resolve("tsconfig.json"), compilerOptions, include: ["programs"] };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
    execFileSync(process.execPath, [resolve("node_modules/typescript/bin/tsc"), "-p", folder], {
      stdio: "pipe",
    });
  });

  test.each(programs)("%s compiles against the published types and runs", (name) => {
    const out = execFileSync(process.execPath, [join(folder, "programs-out", `${name}.js`)], {
      encoding: "utf8",
    });
    expect(out.length).toBeGreaterThan(0);
    if (name.startsWith("README")) {
      for (const line of blocks(read("README.md"), "text")[0]!.trim().split("\n"))
        expect(out).toContain(line);
    }
  });

  test("README's first program is the first example, in about 15 lines", () => {
    const [code] = blocks(read("README.md"), "ts");
    expect(read("examples/first-tree.ts").split("\n").slice(1).join("\n")).toBe(code);
    expect(code!.trim().split("\n").length).toBeLessThanOrEqual(17);
  });
});

test.each([
  ["vllm-frozen-lake", 30],
  ["swe-judge", 40],
])("the example %s is at most %i lines long", (name, most) => {
  expect(read(`examples/${name}.ts`).trimEnd().split("\n").length).toBeLessThanOrEqual(most);
});

test("README lists the environments that there are", () => {
  const listed = [...read("README.md").matchAll(/^\| `([\w-]+)` +\|/gm)].map(([, name]) => name);
  expect(listed).toEqual(environments.map(({ name }) => name));
});

test("every command in the docs exists, with its options", () => {
  const scripts = (JSON.parse(read("package.json")) as { scripts: Record<string, string> }).scripts;
  const commands = pages.flatMap((page) => blocks(read(page), "sh").flatMap((text) => text.split("\n")));
  const helps = new Map<string, string>();
  let checked = 0;
  for (const command of commands.map((line) => line.replace(/#.*/, "").trim())) {
    for (const part of command.split(" && ")) {
      const [, verb, rest] = /^npx forkgym (\w+)(.*)$/.exec(part) ?? [];
      const [, script] = /^npm (?:run )?(\w+)/.exec(part) ?? [];
      if (verb !== undefined) {
        const help = helps.get(verb) ?? forkgym(verb, "--help");
        helps.set(verb, help);
        for (const [option] of rest!.matchAll(/--[\w-]+/g)) expect(help, part).toContain(option);
        checked++;
      } else if (script !== undefined && script !== "ci") {
        expect(scripts, part).toHaveProperty(script);
        checked++;
      }
    }
  }
  expect(checked).toBeGreaterThan(8);
});

test("every local link leads somewhere", () => {
  for (const page of pages) {
    for (const [, link] of read(page).matchAll(/\]\((?!https?:)([^)#]+)/g)) {
      expect(existsSync(join(dirname(page), link!)), `${page}: ${link}`).toBe(true);
    }
  }
});

test("docs/environments.md lists the laws that there are", () => {
  const [, text] = /<!-- laws -->\n([\s\S]*?)\n<!-- \/laws -->/.exec(read("docs/environments.md"))!;
  expect(text!.split("\n").map((line) => line.replace("- ", ""))).toEqual(Object.keys(envLaws));
});

test("docs/rollouts.md gives PATR's and ARPO's options with their defaults", () => {
  const text = read("docs/rollouts.md");
  const strategies = text.slice(text.indexOf("## Strategies"));
  const rows = [...strategies.matchAll(/^\| `(\w+)` +\| (`?[\w.]+`?) +\|/gm)].map(([, name, value]) => [
    name,
    value!.replaceAll("`", ""),
  ]);
  const defaults = Object.entries(patr().options as object).map(([name, value]) => [
    name,
    String(value ?? "none"),
  ]);
  expect(rows.sort()).toEqual(defaults.sort());
  expect(text).toMatch(new RegExp(`^\\| \`closeMs\` +\\| ${CLOSE_MS} ms `, "m"));
  const { topUp: _, ...numbers } = arpo().options as Record<string, unknown>;
  for (const [name, value] of Object.entries(numbers)) expect(text).toContain(`\`${name}\` ${value}`);
});
