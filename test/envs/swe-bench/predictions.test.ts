import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InputError } from "../../../core/errors.ts";
import { type Prediction, readPredictions, writePredictions } from "../../../envs/swe-bench/predictions.ts";
import { toInstance } from "../../../envs/swe-bench/rows/normalise.ts";
import { classicRow, fileOf, GOLD } from "./rows/rows.ts";

const instances = ["a__a-1", "b__b-2"].map((instance_id) => toInstance(classicRow({ instance_id })));
const known = new Set(instances.map(({ id }) => id));
const read = async (name: string, content: string) =>
  Object.fromEntries(await readPredictions(await fileOf(name, content), known, instances));

const first = { instance_id: "a__a-1", model_name_or_path: "org/m", model_patch: "-x\r\n+é\n" };
const second = { instance_id: "b__b-2", model_name_or_path: "org/m", model_patch: null, cost: 3, extra: {} };
const both = {
  "a__a-1": { modelName: "org/m", patch: "-x\r\n+é\n" },
  "b__b-2": { modelName: "org/m", patch: null },
};

describe("the accepted shapes", () => {
  test.each([
    ["p.jsonl", `\ufeff${JSON.stringify(first)}\r\n\r\n${JSON.stringify(second)}`],
    ["p.json", JSON.stringify([first, second])],
    ["p.json", JSON.stringify({ "a__a-1": first, "b__b-2": second })],
    ["p.json", JSON.stringify({ "a__a-1": { ...first, instance_id: undefined }, "b__b-2": second })],
  ])("%s: %s", async (name, content) => {
    expect(await read(name, content)).toEqual(both);
  });

  test("`gold` stands for the patches of the data set, and for the reverse where the patch is the bug", async () => {
    const bug = toInstance(classicRow({ instance_id: "s-1", repo: "swesmith/o__r.1" }), "swe-smith");
    const gold = await readPredictions("gold", known, [...instances, bug]);
    expect([...gold.keys()]).toEqual(["a__a-1", "b__b-2", "s-1"]);
    expect(gold.get("a__a-1")).toEqual({ modelName: "gold", patch: GOLD });
    expect(gold.get("s-1")?.patch).toBe(GOLD.replace("-x = 1\r\n+x = 2\r\n", "-x = 2\r\n+x = 1\r\n"));
  });

  test("`empty` stands for no patch on every instance", async () => {
    expect(Object.fromEntries(await readPredictions("empty", known, instances))).toEqual({
      "a__a-1": { modelName: "empty", patch: "" },
      "b__b-2": { modelName: "empty", patch: "" },
    });
  });
});

describe("bad predictions", () => {
  test.each([
    [
      "ids that are not in the data set",
      [{ ...first, instance_id: "z__z-9" }],
      "that are not in the data set: z__z-9",
    ],
    [
      "a second one for an id",
      [first, first],
      "p.jsonl line 2: instance_id: a__a-1 is here for the second time",
    ],
    ["no id", [{ ...first, instance_id: 1 }], "p.jsonl line 1: instance_id: expected text, got 1"],
    [
      "no model",
      [{ ...first, model_name_or_path: "" }],
      "model_name_or_path: expected text that is not empty",
    ],
    [
      "a model that is no name",
      [{ ...first, model_name_or_path: ".." }],
      "model_name_or_path: expected a name",
    ],
    ["no patch", [{ ...first, model_patch: undefined }], "model_patch: expected text, or null for no patch"],
    ["a line that is no object", [first, 3], "p.jsonl line 2: expected an object, got 3"],
  ])("%s", async (_, rows, message) => {
    const reading = read("p.jsonl", rows.map((row) => JSON.stringify(row)).join("\n"));
    await expect(reading).rejects.toThrow(InputError);
    await expect(reading).rejects.toThrow(message);
  });

  test("all strange ids are counted, ten are named", async () => {
    const rows = Array.from({ length: 12 }, (_, at) => ({ ...first, instance_id: `z-${at}` }));
    await expect(read("p.json", JSON.stringify(rows))).rejects.toThrow(/: z-0, .*, z-9 and 2 more$/);
  });

  test("a line that is no JSON, an id under another key, and no file", async () => {
    await expect(read("p.jsonl", "{}}\n")).rejects.toThrow("predictions: p.jsonl line 1: expected JSON");
    await expect(read("p.json", JSON.stringify({ "b__b-2": first }))).rejects.toThrow("row 1: instance_id: ");
    await expect(readPredictions("/no/p.jsonl", known, instances)).rejects.toThrow(
      "predictions: cannot read /no/p",
    );
  });
});

describe("writing", () => {
  test("what is written is read again, in both forms", async () => {
    const prediction = fc.record({
      modelName: fc.constantFrom("m", "org/m", "é"),
      patch: fc.option(fc.string({ unit: "binary" })),
    });
    const map = fc.dictionary(fc.constantFrom(...known), prediction);
    await fc.assert(
      fc.asyncProperty(map, fc.constantFrom("p.json", "p.jsonl"), async (some, name) => {
        const path = await fileOf(name, "before");
        await writePredictions(path, new Map<string, Prediction>(Object.entries(some)));
        expect(Object.fromEntries(await readPredictions(path, known, instances))).toEqual(some);
      }),
      { numRuns: 40 },
    );
  });

  test("preds.json is mini-swe-agent's, byte for byte", async () => {
    const path = await fileOf("preds.json", "");
    await writePredictions(path, new Map([["a__a-1", { modelName: "m", patch: "é🐛\u007f\t\n" }]]));
    // Printed by Python: json.dumps({"a__a-1": {...}}, indent=2)
    expect(await readFile(path, "utf8")).toBe(
      '{\n  "a__a-1": {\n    "model_name_or_path": "m",\n    "instance_id": "a__a-1",\n' +
        '    "model_patch": "\\u00e9\\ud83d\\udc1b\\u007f\\t\\n"\n  }\n}',
    );
  });

  test("other names are refused, and nothing is written", async () => {
    const folder = dirname(await fileOf("x", ""));
    await expect(writePredictions(join(folder, "p.txt"), new Map())).rejects.toThrow(".jsonl or .json file");
  });
});
