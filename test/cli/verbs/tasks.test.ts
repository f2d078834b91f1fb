import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { environments } from "../../../envs/index.ts";
import { miniRows } from "../../../envs/swe-bench/mini/index.ts";
import { forkgym, freshFolder, quiet } from "../forkgym.ts";

test.each([
  ["", "1d03f16057b7dfc9e316a65c4422b094d81ac2bf65f6cab1c1093ec2bd0ffc20"],
  [" --limit 5", "1d03f16057b7dfc9e316a65c4422b094d81ac2bf65f6cab1c1093ec2bd0ffc20"],
  [" --limit 8", "6e35695464e7cb0ce8710f8f67f786308021bde138f77a26da4b0c1719708554"],
  [" --set limit=8", "6e35695464e7cb0ce8710f8f67f786308021bde138f77a26da4b0c1719708554"],
])("the digest of rLLM's test maps%s, and nothing else", async (options, digest) => {
  const args = `tasks frozen-lake/rllm-test --digest${options}`;
  expect(await quiet(await freshFolder(), args)).toBe(`${digest}\n`);
  const { options: given, ...json } = JSON.parse(await quiet(await freshFolder(), `${args} --json`));
  expect(json).toEqual({ set: "frozen-lake/rllm-test", digest });
  expect(given).toEqual(options === "" ? {} : { limit: options.at(-1) });
});

test("without a set it lists them all, and their options", async () => {
  const folder = await freshFolder();
  const names = environments.flatMap(({ sets }) => sets.map(({ name }) => name));
  const text = await quiet(folder, "tasks");
  for (const name of names) expect(text).toMatch(new RegExp(`^\\| ${name} +\\| `, "m"));
  expect(text).toMatch(/^frozen-lake\/rllm-test --set limit=… {2}search depth of the map generator/m);
  const json = JSON.parse(await quiet(folder, "tasks --json")) as { name: string }[];
  expect(json.map(({ name }) => name)).toEqual(names);
});

test("with a set it lists its first tasks", async () => {
  const folder = await freshFolder();
  const text = await quiet(folder, "tasks frozen-lake-v1/4x4");
  expect(text).toBe(
    "frozen-lake-v1/4x4, version 1: Gymnasium's 4x4 map, slippery, 100 turns\n" +
      '4x4  {"map":["SFFF","FHFH","FFFH","HFFG"],"maxTurns":100}\n',
  );
  const many = (await quiet(folder, "tasks frozen-lake/hard-test --head 7")).trimEnd().split("\n");
  expect(many).toHaveLength(9);
  expect(many.at(-1)).toBe("… 93 more; --head 100 lists all");
  const { tasks, size } = JSON.parse(await quiet(folder, "tasks frozen-lake/hard-test --head 2 --json"));
  expect([size, tasks.length, tasks[0].data.maxTurns]).toEqual([100, 2, 16]);
});

test("a task of swe-mini is its repository and the first line of its issue; JSON holds all of it", async () => {
  const folder = await freshFolder();
  const text = await quiet(folder, "tasks swe-mini --head 100");
  const rows = miniRows();
  const lines = text.trimEnd().split("\n").slice(1);
  expect(lines).toHaveLength(rows.length);
  expect(lines).toContain("forkgym__calc-1  forkgym/calc  Wrong checksum: `7 * 7 % 10`");
  for (const line of lines) expect(line.length).toBeLessThan(160);
  for (const { patch, FAIL_TO_PASS } of rows) {
    const secrets = [...(JSON.parse(FAIL_TO_PASS) as string[]), patch.split("\n")[0]!];
    for (const secret of secrets) expect(text).not.toContain(secret);
  }
  const { tasks } = JSON.parse(await quiet(folder, "tasks swe-mini --head 1 --json"));
  expect(tasks[0].data.hidden.goldPatch).toBe(rows[0]!.patch);
});

test("a long first line of an issue is cut", async () => {
  const folder = await freshFolder();
  const row = { ...miniRows()[0]!, problem_statement: `\n  ${"long ".repeat(100)}\nmore` };
  await writeFile(join(folder, "rows.jsonl"), JSON.stringify(row));
  const line = (await quiet(folder, "tasks swe-bench:rows.jsonl")).split("\n")[1]!;
  expect(line.slice(`${row.instance_id}  ${row.repo}  `.length)).toMatch(/^long long .*…$/);
  expect(line.length).toBe(`${row.instance_id}  `.length + 120);
});

test("a reader that goes away early ends it without a word", async () => {
  const main = join(inject("packageFolder"), "dist/cli/main.js");
  const child = spawn(process.execPath, [main, "tasks", "frozen-lake/rllm-train", "--head", "10000"]);
  let stderr = "";
  child.stderr.on("data", (text: Buffer) => {
    stderr += text;
  });
  child.stdout.once("data", () => child.stdout.destroy());
  const [code, signal] = await once(child, "close");
  expect([code, signal, stderr]).toEqual([0, null, ""]);
});

test.each([
  ["tasks frozen-lake/rllm", 'forkgym: no task set "frozen-lake/rllm"; there are frozen-lake/rllm-train, '],
  ["tasks frozen-lake/rllm-test --limit 6", "expected `limit` to be one of 5, 8, got 6"],
  ["tasks frozen-lake/hard-test --limit 8", "unknown option `limit`; it takes no options"],
  ["tasks frozen-lake/rllm-test --set depth=8", "unknown option `depth`; it takes `limit`"],
  ["tasks frozen-lake/rllm-test --digset", "error: unknown option '--digset'\n(Did you mean --digest?)"],
  [
    "tasks frozen-lake/rllm-test --head many",
    "argument 'many' is invalid. Expected a whole number from 1 up.",
  ],
])("a usage error is named and has code 2: %s", async (args, message) => {
  const { code, stdout, stderr } = await forkgym(await freshFolder(), args);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(message);
});
