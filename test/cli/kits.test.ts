import { expect, test } from "vitest";
import { kitOf, namedSetOf, setOf } from "../../cli/kits.ts";
import { environments } from "../../envs/index.ts";

test("every environment and every task set is found by its name", () => {
  for (const kit of environments) {
    expect(kitOf(kit.name)).toBe(kit);
    for (const named of kit.sets) expect(namedSetOf(named.name)).toEqual({ kit, named });
  }
});

test("an unknown name is an error that lists those there are", () => {
  expect(() => kitOf("chess")).toThrow(
    'no environment "chess"; there are frozen-lake, frozen-lake-v1, swe-bench',
  );
  expect(() => namedSetOf("frozen-lake")).toThrow(
    /^no task set "frozen-lake"; there are frozen-lake\/rllm-train, .*, frozen-lake-v1\/8x8, swe-mini$/,
  );
});

test("an unknown name or a file that an environment does not take is an error", async () => {
  await expect(setOf("nope", {})).rejects.toThrow('no task set "nope"');
  await expect(setOf("frozen-lake:lakes.json", {})).rejects.toThrow("frozen-lake takes no file of tasks");
});

test("options reach the set", async () => {
  const plain = await setOf("frozen-lake/rllm-test", {});
  const deep = await setOf("frozen-lake/rllm-test", { limit: "8" });
  expect([plain.kit.name, plain.set.size]).toEqual(["frozen-lake", 100]);
  expect(deep.set.summary).toContain("search depth 8");
  await expect(setOf("frozen-lake/rllm-test", { limit: "6" })).rejects.toThrow(
    "`limit` to be one of 5, 8, got 6",
  );
  await expect(setOf("frozen-lake/hard-test", { limit: "8" })).rejects.toThrow("unknown option `limit`");
});
