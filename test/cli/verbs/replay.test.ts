import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { NodeRecord, TreeRecord } from "../../../core/run/record.ts";
import { forkgym, freshFolder, linesOf, quiet } from "../forkgym.ts";

const ROLLOUT = "rollout frozen-lake/hard-test --tasks 4 --trees 1 --out r";

/** A folder with a run `r` of four trees. */
async function recorded(): Promise<{ readonly folder: string; readonly file: string }> {
  const folder = await freshFolder();
  await quiet(folder, ROLLOUT);
  return { folder, file: join(folder, "r/trees.jsonl") };
}

/** Changes one byte of the third tree, in the node of its last leaf but the root's, and says where that is. */
async function change(
  file: string,
  edit: (node: { -readonly [Key in keyof NodeRecord]: NodeRecord[Key] }) => void,
): Promise<string> {
  const lines = await linesOf(file);
  const before = lines[2]!;
  const record = JSON.parse(before) as TreeRecord;
  expect(JSON.stringify(record)).toBe(before);
  const at = record.leaves.at(-1)!.node;
  edit(record.nodes[at]!);
  lines[2] = JSON.stringify(record);
  const differing = [...before].filter((sign, index) => lines[2]![index] !== sign);
  expect([lines[2].length, differing.length]).toEqual([before.length, 1]);
  await writeFile(file, `${lines.join("\n")}\n`);
  let turn = 0;
  for (let index = at; record.nodes[index]!.parent !== null; index = record.nodes[index]!.parent!) turn++;
  return `line 3, task ${record.task.id}, branch ${record.nodes[at]!.branch}, turn ${turn}`;
}

test("an untouched run has no difference, in text and JSON", async () => {
  const { folder, file } = await recorded();
  const actions = (await linesOf(file)).reduce(
    (sum, line) => sum + (JSON.parse(line) as TreeRecord).nodes.length - 1,
    0,
  );
  expect(actions).toBeGreaterThan(100);
  expect(await quiet(folder, "replay r")).toBe(`4 trees, ${actions} actions replayed, 0 differences\n`);
  expect(JSON.parse(await quiet(folder, "replay r --json"))).toEqual({
    run: "r",
    trees: 4,
    actions,
    differences: [],
  });
});

test("one changed byte of an observation is found and named: line, task, branch, turn, field", async () => {
  const { folder, file } = await recorded();
  let [recordedText, replayedText] = ["", ""];
  const where = await change(file, (node) => {
    const view = node.observation as { player: number };
    replayedText = `"player":${view.player},`;
    view.player += view.player % 10 === 9 ? -1 : 1;
    recordedText = `"player":${view.player},`;
  });
  const { code, stdout, stderr } = await forkgym(folder, "replay r");
  expect([code, stderr]).toEqual([1, ""]);
  const [line, was, is, summary] = stdout.split("\n");
  expect(line).toBe(`${where}: observation`);
  expect(was).toMatch(/^ {2}recorded /);
  expect(was).toContain(recordedText);
  expect(is).toMatch(/^ {2}replayed /);
  expect(is).toContain(replayedText);
  expect(summary).toMatch(/^4 trees, \d+ actions replayed, 1 differences$/);
});

test("one changed byte of a reward is found, and the outcome that it changes", async () => {
  const { folder, file } = await recorded();
  let reward = 0;
  const where = await change(file, (node) => {
    reward = node.reward;
    node.reward = 1 - node.reward;
  });
  const { code, stdout } = await forkgym(folder, "replay r --json");
  expect(code).toBe(1);
  const [, task, branch, turn] = /task (\S+), branch (\S+), turn (\d+)/.exec(where)!;
  const place = { line: 3, task, branch, turn: Number(turn) };
  expect(JSON.parse(stdout).differences).toEqual([
    { ...place, field: "reward", recorded: `${1 - reward}`, replayed: `${reward}` },
    { ...place, field: "outcome", recorded: `${reward}`, replayed: `${1 - reward}` },
  ]);
});

test("at most twenty differences are printed, and all are counted", async () => {
  const { folder, file } = await recorded();
  const lines = await linesOf(file);
  await writeFile(file, `${lines.join("\n").replaceAll('"effective":true', '"effective":1')}\n`);
  const { code, stdout } = await forkgym(folder, "replay r");
  const printed = stdout.split("\n").filter((line) => line.endsWith(": info")).length;
  const [, more] = /^… and (\d+) more$/m.exec(stdout)!;
  expect([code, printed]).toEqual([1, 20]);
  expect(stdout).toContain(`, ${20 + Number(more)} differences\n`);
});

test("a last line that was cut off is noted and left out, and the file stays as it is", async () => {
  const { folder, file } = await recorded();
  const text = (await readFile(file, "utf8")).slice(0, -1);
  await writeFile(file, text);
  const left = text.length - text.lastIndexOf("\n") - 1;
  const { code, stdout, stderr } = await forkgym(folder, "replay r");
  expect([code, stderr]).toEqual([
    0,
    `trees.jsonl: left out ${left} bytes of a last line that was cut off\n`,
  ]);
  expect(stdout).toMatch(/^3 trees, \d+ actions replayed, 0 differences\n$/);
  expect(await readFile(file, "utf8")).toBe(text);
});

test("a damaged line in the middle is named", async () => {
  const { folder, file } = await recorded();
  const lines = await linesOf(file);
  lines[1] = lines[1]!.slice(0, -5);
  await writeFile(file, `${lines.join("\n")}\n`);
  const { code, stdout, stderr } = await forkgym(folder, "replay r");
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(
    /^forkgym: trees\.jsonl line 2: not JSON .*; the file was damaged after it was written\n$/,
  );
});

test("a run of another format is refused", async () => {
  const { folder } = await recorded();
  const file = join(folder, "r/run.json");
  await writeFile(file, (await readFile(file, "utf8")).replace('"format": 1', '"format": 2'));
  const { code, stderr } = await forkgym(folder, "replay r");
  expect(code).toBe(2);
  expect(stderr).toBe(
    "forkgym: run folder: r/run.json has format 2, this version reads format 1; " +
      "choose another folder, or the version of forkgym that wrote it\n",
  );
});

test("a folder that is no run, or holds no tree yet, says so", async () => {
  const { folder, file } = await recorded();
  await writeFile(file, "");
  expect(await forkgym(folder, "replay r")).toMatchObject({
    code: 2,
    stderr: "forkgym: replay: r holds no finished tree yet\n",
  });
  for (const path of [".", "nowhere", "r/run.json"]) {
    expect(await forkgym(folder, `replay ${path}`)).toMatchObject({
      code: 2,
      stderr: `forkgym: run folder: ${path} holds no run.json; is it a run folder?\n`,
    });
  }
});
