import fc from "fast-check";
import { expect, test } from "vitest";
import { scripted } from "../../../agents/scripted.ts";
import { InputError } from "../../../core/errors.ts";
import { rollout } from "../../../core/rollout/engine.ts";
import { patr } from "../../../core/rollout/strategies/patr.ts";
import { checkRecord, digestOf, type TreeRecord, toRecord, toTree } from "../../../core/run/record.ts";
import { replay } from "../../../core/run/replay.ts";
import { summarize } from "../../../core/run/report.ts";
import { treeSvg } from "../../../core/run/tree-svg.ts";
import { treeText } from "../../../core/run/tree-text.ts";
import { type LineData, LineWorld } from "../../fakes/line-env.ts";

async function recorded(): Promise<TreeRecord> {
  const tree = await rollout(
    { id: "line/5", data: { length: 5 } },
    {
      env: new LineWorld().make,
      policy: scripted<LineData, string, string>(["a", "b", "c", "d", "e"]),
      strategy: patr({ branches: 2, every: 2, top: 1 }),
      scorer: { name: "s", score: () => 0.5 },
      seed: 1,
    },
  );
  return JSON.parse(JSON.stringify(toRecord(tree))) as TreeRecord;
}

/** The paths of all values in a value, itself excluded. */
function pathsIn(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [[...path, key], ...pathsIn(inner, [...path, key])]);
}

/** A copy with another value at a path; undefined takes it away. */
function changed(value: unknown, path: readonly string[], to: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return to;
  if (Array.isArray(value))
    return value.map((item, at) => (String(at) === key ? changed(item, rest, to) : item));
  const { [key]: before, ...others } = value as Record<string, unknown>;
  const now = changed(before, rest, to);
  return now === undefined ? others : { ...others, [key]: now };
}

test("a record with any value of it replaced is refused by name, or works throughout", async () => {
  const record = await recorded();
  const path = fc.constantFrom(...pathsIn(record));
  const to = fc.oneof(
    fc.constantFrom(undefined, null, 0, -1, 1.5, 99, "", "x", [], {}, [null]),
    fc.jsonValue(),
  );
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(path, to, async (at, value) => {
      const damaged = JSON.parse(JSON.stringify(changed(record, at, value))) as unknown;
      try {
        checkRecord(damaged, "line 7");
      } catch (error) {
        expect(error).toBeInstanceOf(InputError);
        expect((error as Error).message).toMatch(/^line 7: expected `[^`]+` to be /);
        refused++;
        return;
      }
      const tree = toTree(damaged as TreeRecord);
      treeText(tree);
      treeSvg(tree);
      summarize([tree]);
      await replay(damaged as TreeRecord, new LineWorld().make);
    }),
    { numRuns: 1000 },
  );
  expect(refused).toBeGreaterThan(100);
});

test("the digest depends on everything but the seconds", async () => {
  const record = await recorded();
  expect(digestOf(record)).toBe(record.digest);
  expect(digestOf({ ...record, budget: { ...record.budget, seconds: 99 } })).toBe(record.digest);
  for (const path of pathsIn(record)) {
    const spared = path[0] === "digest" || path.join(".") === "budget.seconds" || path.join(".") === "budget";
    if (spared) continue;
    const other = changed(record, path, "something else") as TreeRecord;
    expect(digestOf(other), path.join(".")).not.toBe(record.digest);
  }
});
