import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { TreeRecord } from "../../../core/run/record.ts";
import { parseXml } from "../../xml.ts";
import { forkgym, freshFolder, linesOf, quiet } from "../forkgym.ts";

/** A folder with a run `r` of four trees, and their records. */
async function recorded(): Promise<{ readonly folder: string; readonly records: readonly TreeRecord[] }> {
  const folder = await freshFolder();
  await quiet(folder, "rollout frozen-lake/hard-test --tasks 4 --out r");
  const lines = await linesOf(join(folder, "r/trees.jsonl"));
  return { folder, records: lines.map((line) => JSON.parse(line) as TreeRecord) };
}

test("the n-th tree: a line for what it is, its branches, and what it cost", async () => {
  const { folder, records } = await recorded();
  const { task, leaves, budget } = records[2]!;
  const lines = (await quiet(folder, "show r --tree 3")).trimEnd().split("\n");
  expect(lines[0]).toBe(`${task.id}, seed 0: patr with random and scorer progress`);
  expect(lines.at(-1)).toBe(
    `${leaves.length} leaves, ${budget.envSteps} env steps, ${budget.forks} forks, ${budget.snapshots} snapshots`,
  );
  expect(lines.filter((line) => /, reward \d/.test(line))).toHaveLength(leaves.length);
});

test("the n-th tree is found without the ones before it being read", async () => {
  const { folder, records } = await recorded();
  await writeFile(join(folder, "r/trees.jsonl"), `{damaged\n${JSON.stringify(records[1])}\n`);
  expect(JSON.parse(await quiet(folder, "show r --tree 2 --json"))).toEqual(records[1]);
  expect((await forkgym(folder, "show r --tree 1")).stderr).toContain(
    "forkgym: trees.jsonl line 1: not JSON",
  );
});

test("without a choice it is the first tree that expanded a branch, and with --json its record", async () => {
  const { folder, records } = await recorded();
  const first = records.find(({ checkpoints }) =>
    checkpoints.some(({ routings }) => routings.some(({ route }) => route === "expand")),
  );
  expect(JSON.parse(await quiet(folder, "show r --json"))).toEqual(first);
});

test("--task takes an id, or the first one that contains the text", async () => {
  const { folder, records } = await recorded();
  const { id } = records[1]!.task;
  const shown = async (text: string) =>
    (JSON.parse(await quiet(folder, `show r --task ${text} --json`)) as TreeRecord).task.id;
  expect(await shown(id)).toBe(id);
  expect(await shown(id.slice(0, -1))).toBe(id);
  expect(await shown("hard-test/")).toBe(records[0]!.task.id);
  // An id that is the beginning of another one is found all the same.
  const short = { ...records[3]!, task: { ...records[3]!.task, id: records[0]!.task.id.slice(0, -1) } };
  const text = [...records.slice(0, 3), short].map((record) => `${JSON.stringify(record)}\n`).join("");
  await writeFile(join(folder, "r/trees.jsonl"), text);
  expect(await shown(short.task.id)).toBe(short.task.id);
});

test("--tree and --task together must be of one tree", async () => {
  const { folder, records } = await recorded();
  const [first, second] = records.map(({ task }) => task.id);
  expect(JSON.parse(await quiet(folder, `show r --tree 2 --task ${second} --json`))).toEqual(records[1]);
  const { code, stdout, stderr } = await forkgym(folder, `show r --tree 1 --task ${second}`);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toBe(
    `forkgym: show: --tree 1 of r is of task ${first}, got --task ${second}; give one of the two\n`,
  );
});

test("--svg writes a well-formed picture beside the text", async () => {
  const { folder, records } = await recorded();
  const { code, stdout, stderr } = await forkgym(folder, "show r --tree 1 --svg tree.svg");
  expect([code, stderr]).toEqual([0, "wrote tree.svg\n"]);
  expect(stdout).toContain(records[0]!.task.id);
  const elements = parseXml(await readFile(join(folder, "tree.svg"), "utf8"));
  expect(elements.at(-1)!.name).toBe("svg");
  const turns = elements.filter(({ attributes }) => attributes.class === "turn");
  expect(turns).toHaveLength(records[0]!.nodes.length - 1);
});

test("signs that XML reserves are escaped in the picture", async () => {
  const { folder, records } = await recorded();
  const record = { ...records[0]!, policy: `<b>"Tom" & 'Jerry'</b>\u0007` };
  await writeFile(join(folder, "r/trees.jsonl"), `${JSON.stringify(record)}\n`);
  await forkgym(folder, "show r --svg tree.svg");
  const elements = parseXml(await readFile(join(folder, "tree.svg"), "utf8"));
  expect(elements.map(({ text }) => text)).toContain(
    `${record.task.id}, seed 0: patr with <b>"Tom" & 'Jerry'</b>\uFFFD`,
  );
});

test.each([
  ["show r --tree 5", "forkgym: show: r holds 4 trees, got --tree 5\n"],
  ["show r --task chess", 'forkgym: show: r holds no tree of a task with "chess" in its id\n'],
  ["show nowhere", "forkgym: run folder: nowhere holds no run.json; is it a run folder?\n"],
  ["show r --svg no/such/folder.svg", /^forkgym: ENOENT: [^\n]*\n$/],
  ["show r --tree 0", /argument '0' is invalid. Expected a whole number from 1 up\./],
  ["show r --tre 1", /unknown option '--tre'\n\(Did you mean --tree\?\)/],
])("a usage error is named and has code 2: %s", async (args, message) => {
  const { folder } = await recorded();
  const { code, stdout, stderr } = await forkgym(folder, args);
  expect([code, stdout]).toEqual([2, ""]);
  if (typeof message === "string") expect(stderr).toBe(message);
  else expect(stderr).toMatch(message);
});

test("a run without a finished tree says so, and one of another format is refused", async () => {
  const { folder } = await recorded();
  await writeFile(join(folder, "r/trees.jsonl"), "");
  expect((await forkgym(folder, "show r")).stderr).toBe("forkgym: show: r holds no finished tree yet\n");
  await writeFile(join(folder, "r/run.json"), '{"format":3}');
  expect((await forkgym(folder, "show r")).stderr).toMatch(
    /^forkgym: .* has format 3, this version reads format 1/,
  );
});
