import { expect, test } from "vitest";
import { type Pick, pickedPatches } from "../../../envs/swe-bench/picked.ts";
import { type Sketch, treeOf } from "./picked-trees.ts";

const picked = (pick: Pick, ...sketches: readonly Sketch[]) =>
  pickedPatches(treeOf("a__a-1", sketches), pick);

const looked: Sketch = { end: "success", patch: "looked", reward: 1 };
const edited: Sketch = { end: "failure", patch: "edited", edits: true };

test("progress takes the leaf that the scorer puts highest, whatever its reward; of equals the first", async () => {
  expect(await picked("progress", looked, edited)).toEqual(["edited"]);
  expect(await picked("progress", edited, { ...edited, patch: "later", reward: 1 })).toEqual(["edited"]);
});

test("first takes the first leaf that has a patch", async () => {
  expect(await picked("first", { end: "turn-limit" }, looked, edited)).toEqual(["looked"]);
});

test("all takes each finished leaf, also those without a patch", async () => {
  expect(await picked("all", looked, { end: "failure" }, edited)).toEqual(["looked", "", "edited"]);
});

test("a branch at its limit has the patch of its settlement; pruned, aborted and failed ones are not finished", async () => {
  const cut: Sketch = { end: "context-limit", patch: "cut", settled: true };
  const others = (["pruned-score", "pruned-repeat", "aborted", "error"] as const).map((end) => ({
    ...edited,
    end,
    settled: true,
  }));
  for (const pick of ["progress", "first", "all"] as const) {
    expect(await picked(pick, ...others, cut)).toEqual(["cut"]);
    expect(await picked(pick, ...others)).toEqual([]);
  }
});

test("where no leaf has a patch it is the empty one", async () => {
  for (const pick of ["progress", "first"] as const)
    expect(await picked(pick, { end: "failure" }, { end: "turn-limit" })).toEqual([""]);
});
