import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { chosenBy, instancesOf, loadSet } from "../../../../envs/swe-bench/rows/set.ts";
import { classicRow, fileOf } from "./rows.ts";

const a = classicRow({ instance_id: "a__a-1" });
const b = classicRow({ instance_id: "b__b-2", version: null });

test("ids that come again count once, in the order of the first", async () => {
  const all = await instancesOf(await fileOf("rows.json", JSON.stringify([a, b])), () => {});
  expect(chosenBy(all, ["b__b-2", "a__a-1", " b__b-2"]).map(({ id }) => id)).toEqual(["b__b-2", "a__a-1"]);
});

test("a folder of several splits is read by the one that is named, and asks for it", async () => {
  const folder = dirname(await fileOf("dev-00000-of-00001.jsonl", JSON.stringify(a)));
  await writeFile(join(folder, "test-00000-of-00001.jsonl"), JSON.stringify(b));
  const ids = async (options: Readonly<Record<string, string>>) => {
    const set = await loadSet(folder, options, () => {});
    return Array.from({ length: set.size }, (_, at) => set.at(at).id);
  };
  expect(await ids({ split: "test" })).toEqual(["b__b-2"]);
  expect(await ids({ split: "dev", ids: "a__a-1,a__a-1" })).toEqual(["a__a-1"]);
  await expect(ids({})).rejects.toThrow(
    "holds the splits dev, test; choose one with --split, or --set split=… of a rollout",
  );
  await expect(ids({ split: "train" })).rejects.toThrow("files of split train");
  await expect(instancesOf("swe-mini", () => {}, "test")).rejects.toThrow("swe-mini has no splits, got test");
});

test("rows that cannot be graded are counted when a set is loaded", async () => {
  const notes: string[] = [];
  const load = async (rows: readonly object[]) =>
    loadSet(await fileOf("rows.json", JSON.stringify(rows)), {}, (line) => notes.push(line));
  await load([a]);
  expect(notes).toEqual([]);
  expect((await load([a, b])).size).toBe(2);
  expect(notes).toEqual([
    "swe-bench: 1 of 2 rows cannot be graded, and are refused when an episode begins; the first is b__b-2: " +
      "it has no eval_script, and none is known for its repository and version; add one to the row",
  ]);
});
