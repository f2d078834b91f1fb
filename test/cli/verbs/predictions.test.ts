import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { toRecord } from "../../../core/run/record.ts";
import { type Sketch, treeOf } from "../../envs/swe-bench/picked-trees.ts";
import { forkgym, freshFolder, quiet } from "../forkgym.ts";

/** A folder with a run `r` of these trees. */
async function recorded(
  trees: Readonly<Record<string, readonly Sketch[]>>,
  env = "swe-bench",
): Promise<string> {
  const folder = await freshFolder();
  await mkdir(join(folder, "r"));
  await writeFile(
    join(folder, "r/run.json"),
    JSON.stringify({ format: 1, kind: "rollout", config: { env } }),
  );
  const lines = Object.entries(trees).map(([id, sketches]) => JSON.stringify(toRecord(treeOf(id, sketches))));
  await writeFile(join(folder, "r/trees.jsonl"), lines.map((line) => `${line}\n`).join(""));
  return folder;
}

const read = async (folder: string, file: string) =>
  (await readFile(join(folder, file), "utf8"))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

const TREES: Readonly<Record<string, readonly Sketch[]>> = {
  "a__a-1": [
    { end: "success", patch: "looked", reward: 1 },
    { end: "failure", patch: "edited", edits: true },
  ],
  "b__b-2": [{ end: "turn-limit" }],
};

const prediction = (instance_id: string, model_patch: string, model_name_or_path = "forkgym") => ({
  model_name_or_path,
  instance_id,
  model_patch,
});

test("one prediction for each task, by progress if nothing else is said", async () => {
  const folder = await recorded(TREES);
  expect(await quiet(folder, "predictions r --out preds.jsonl")).toBe(
    "preds.jsonl: 2 predictions, 1 of them without a patch\n",
  );
  expect(await read(folder, "preds.jsonl")).toEqual([
    prediction("a__a-1", "edited"),
    prediction("b__b-2", ""),
  ]);
  await quiet(folder, "predictions r --out preds.json --pick first --model me/v1");
  expect(JSON.parse(await readFile(join(folder, "preds.json"), "utf8"))).toEqual({
    "a__a-1": prediction("a__a-1", "looked", "me/v1"),
    "b__b-2": prediction("b__b-2", "", "me/v1"),
  });
});

test("all leaves: the n-th of each tree in the n-th file, each by a model of its own", async () => {
  const folder = await recorded(TREES);
  expect(await quiet(folder, "predictions r --out preds.jsonl --pick all")).toBe(
    "preds-1.jsonl: 2 predictions, 1 of them without a patch\npreds-2.jsonl: 1 prediction\n",
  );
  expect(await read(folder, "preds-1.jsonl")).toEqual([
    prediction("a__a-1", "looked", "forkgym-1"),
    prediction("b__b-2", "", "forkgym-1"),
  ]);
  expect(await read(folder, "preds-2.jsonl")).toEqual([prediction("a__a-1", "edited", "forkgym-2")]);
});

test("a task without a finished leaf is said, and is exit code 1", async () => {
  const folder = await recorded({ ...TREES, "c__c-3": [{ end: "error" }] });
  const { code, stdout, stderr } = await forkgym(folder, "predictions r --out preds.jsonl --json");
  expect([code, stderr]).toEqual([1, "left out: c__c-3: no leaf of its tree is finished\n"]);
  expect(JSON.parse(stdout)).toEqual({
    run: "r",
    pick: "progress",
    model: "forkgym",
    files: [{ file: "preds.jsonl", predictions: 2, empty: 1 }],
    without: ["c__c-3"],
  });
});

test.each([
  ["frozen-lake", {}, "preds.jsonl", "expected a rollout of swe-bench, got rollout of frozen-lake in r"],
  ["swe-bench", {}, "preds.jsonl", "r holds no finished tree yet"],
  ["swe-bench", TREES, "preds.txt", "expected the name of a .jsonl or .json file, got preds.txt"],
  [
    "swe-bench",
    TREES,
    "preds.jsonl --model ..",
    "model_name_or_path: expected a name that a folder can have",
  ],
])("refused: %s %j %s", async (env, trees, args, message) => {
  const folder = await recorded(trees, env);
  const { code, stderr } = await forkgym(folder, `predictions r --out ${args}`);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  expect(await readdir(folder)).toEqual(["r"]);
});
