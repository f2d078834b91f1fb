import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InputError } from "../../../../core/errors.ts";
import { instancesDigest, readInstances } from "../../../../envs/swe-bench/rows/index.ts";
import { classicRow, fileOf, GOLD, TESTS } from "./rows.ts";

const lines = (...rows: readonly unknown[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");
const ids = async (path: string, options = {}) =>
  (await readInstances(path, options)).instances.map(({ id }) => id);

describe("JSONL", () => {
  test("a byte order mark, CRLF, blank lines, raw U+2028 and a missing last newline are fine", async () => {
    const rows = [classicRow(), classicRow({ instance_id: "b__b-2", problem_statement: "a\u2028b" })];
    const text = `\ufeff\r\n${rows.map((row) => JSON.stringify(row)).join("\r\n\r\n")}`;
    const { instances, refused } = await readInstances(await fileOf("rows.jsonl", text));
    expect(refused).toEqual([]);
    expect(instances.map(({ problemStatement }) => problemStatement)).toEqual(["It breaks.", "a\u2028b"]);
  });

  test("bad lines are refused by line and field, and the others load", async () => {
    const text = [
      JSON.stringify(classicRow({ base_commit: 7 })),
      "",
      "{ not json",
      "[1]",
      JSON.stringify(classicRow({ FAIL_TO_PASS: "[1]" })),
      JSON.stringify(classicRow()),
      JSON.stringify(classicRow({ problem_statement: "again" })),
      JSON.stringify(classicRow({ FAIL_TO_PASS: undefined })),
      JSON.stringify(classicRow({ log_parser: "parse_log_nope" })),
    ].join("\n");
    const { instances, refused } = await readInstances(await fileOf("rows.jsonl", text));
    expect(instances.map(({ problemStatement }) => problemStatement)).toEqual(["It breaks."]);
    expect(refused.map(({ line, id }) => [line, id])).toEqual([
      [1, "pallets__flask-1"],
      [3, undefined],
      [4, undefined],
      [5, "pallets__flask-1"],
      [7, "pallets__flask-1"],
      [8, "pallets__flask-1"],
      [9, "pallets__flask-1"],
    ]);
    expect(refused.map(({ message }) => message)).toEqual([
      "dataset: rows.jsonl line 1 (pallets__flask-1): base_commit: expected text, got 7",
      "dataset: rows.jsonl line 3: expected JSON, got text that is none",
      "dataset: rows.jsonl line 4: expected an object, got [1]",
      "dataset: rows.jsonl line 5 (pallets__flask-1): FAIL_TO_PASS: expected test id 1 of 1 to be text, got 1",
      "dataset: rows.jsonl line 7 (pallets__flask-1): instance_id: this id is in rows.jsonl line 6 already",
      "dataset: rows.jsonl line 8 (pallets__flask-1): FAIL_TO_PASS: expected a list of test ids, got nothing; " +
        "without one any patch that breaks no test would count as resolved",
      "dataset: rows.jsonl line 9 (pallets__flask-1): log_parser: expected the name of a parser of SWE-bench, " +
        'for example parse_log_pytest, got "parse_log_nope"',
    ]);
  });

  test("a line that is not UTF-8 is refused, not read with replacement characters", async () => {
    const good = JSON.stringify(classicRow());
    const bad = Buffer.from(good.replace("It breaks.", "It \u0001"));
    bad[bad.indexOf(1)] = 0xff;
    const path = await fileOf("rows.jsonl", Buffer.concat([bad, Buffer.from(`\n${good}\n`)]));
    const { instances, refused } = await readInstances(path);
    expect(instances.length).toBe(1);
    expect(refused[0]?.message).toBe("dataset: rows.jsonl line 1: expected UTF-8, got other bytes");
  });

  test("lines may be cut at any byte by the reads of the file", async () => {
    const rows = Array.from({ length: 40 }, (_, at) =>
      classicRow({ instance_id: `a__a-${at}`, problem_statement: "é🐛".repeat(1500 + at) }),
    );
    const { instances } = await readInstances(await fileOf("rows.jsonl", lines(...rows)));
    expect(instances.map(({ problemStatement }) => problemStatement)).toEqual(
      rows.map(({ problem_statement }) => problem_statement),
    );
  });
});

describe("JSON", () => {
  test("a list, an object by id, and lines of the same rows give the same instances", async () => {
    const word = fc.string({ unit: "binary" });
    const row = fc
      .record({ problem_statement: word, patch: word, hints_text: word, list: fc.boolean() })
      .map(({ list, ...more }) =>
        classicRow(list ? { ...more, FAIL_TO_PASS: ["tests/test_a.py::test_a"] } : more),
      );
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 5 }), async (some) => {
        const rows = some.map((each, at) => ({ ...each, instance_id: `owner__name-${at}` }));
        const byId = Object.fromEntries(rows.map(({ instance_id, ...rest }) => [instance_id, rest]));
        const read = await Promise.all([
          readInstances(await fileOf("rows.jsonl", lines(...rows))),
          readInstances(await fileOf("rows.json", `\ufeff${JSON.stringify(rows, null, 1)}`)),
          readInstances(await fileOf("rows.json", JSON.stringify(byId))),
        ]);
        for (const { instances, refused } of read) {
          expect(refused).toEqual([]);
          expect(instances).toEqual(read[0]!.instances);
          expect(instancesDigest(instances)).toBe(instancesDigest(read[0]!.instances));
        }
        expect(read[0]!.instances.map(({ hidden }) => hidden.goldPatch)).toEqual(
          rows.map((each: Record<string, unknown>) => each.patch),
        );
      }),
      { numRuns: 40 },
    );
  });

  test("a row under another id than its own is refused", async () => {
    const path = await fileOf("rows.json", JSON.stringify({ "a__a-1": classicRow(), "b__b-1": 3 }));
    expect((await readInstances(path)).refused.map(({ message }) => message)).toEqual([
      "dataset: rows.json row 1 (pallets__flask-1): instance_id: expected a__a-1, under which it stands, got " +
        '"pallets__flask-1"',
      "dataset: rows.json row 2 (b__b-1): expected an object, got 3",
    ]);
  });
});

describe("parquet", () => {
  // Written by pyarrow 25 with zstd in groups of two rows: native lists, a struct, an int64 and nulls.
  const path = fileURLToPath(new URL("./rows.parquet", import.meta.url));
  const config = { install: "pip install -e .", test_cmd: "pytest -rA", log_parser: "parse_log_pytest" };
  const row = {
    instance_id: "acme__lib-1",
    repo: "acme/lib",
    base_commit: "a".repeat(40),
    patch: GOLD,
    test_patch: TESTS,
    problem_statement: "é \u2028 🐛",
    FAIL_TO_PASS: ["tests/test_a.py::test_a[x"],
    PASS_TO_PASS: [],
    install_config: config,
  };

  test("rows are those of the same data as JSON, and a bad one is refused by its number", async () => {
    const { instances, refused } = await readInstances(path);
    expect(refused).toEqual([
      {
        line: 3,
        id: "acme__lib-3",
        message:
          "dataset: rows.parquet row 3 (acme__lib-3): base_commit: expected text that is not empty, got nothing",
      },
    ]);
    expect(instances.map(({ id }) => id)).toEqual(["acme__lib-1", "acme__lib-2"]);
    const [same] = (await readInstances(await fileOf("rows.jsonl", lines(row)))).instances;
    expect(instances[0]).toEqual(same);
  });

  test("a file that is cut off is an error that names it", async () => {
    const cut = await fileOf("cut.parquet", "PAR1 and no more");
    await expect(readInstances(cut)).rejects.toThrow(InputError);
    await expect(readInstances(cut)).rejects.toThrow(cut);
  });
});

describe("files that are not what their names say", () => {
  test.each([
    ["rows.parquet", "{}", "does not start with PAR1"],
    ["rows.json", "PAR1....", "is a parquet file"],
    ["rows.jsonl", "PAR1....", "is a parquet file"],
    ["rows.jsonl", '\n[{"a": 1}]', "rename it to .json"],
    ["rows.json", '{"a": 1}\n{"a": 2}\n', "rename it to .jsonl"],
    ["rows.json", '{"a": ', "damaged or cut off"],
    ["rows.json", "3", "to be a list, or an object by id"],
    ["rows.csv", "a,b", "expected a file named .parquet, .json or .jsonl"],
    ["rows.parquet", "version https://git-lfs.github.com/spec/v1\n", "git lfs pull"],
  ])("%s holding %j", async (name, content, message) => {
    const reading = readInstances(await fileOf(name, content));
    await expect(reading).rejects.toThrow(InputError);
    await expect(reading).rejects.toThrow(message);
  });

  test("no such file", async () => {
    await expect(readInstances("/no/such/file.jsonl")).rejects.toThrow(
      /^dataset: cannot read \/no\/such\/file.jsonl \(ENOENT/,
    );
  });
});

describe("options", () => {
  test("limit counts instances, not refused rows", async () => {
    const rows = [classicRow({ patch: 3 }), ...["a", "b", "c"].map((id) => classicRow({ instance_id: id }))];
    const path = await fileOf("rows.jsonl", lines(...rows));
    expect(await ids(path, { limit: 2 })).toEqual(["a", "b"]);
    await expect(readInstances(path, { limit: 0 })).rejects.toThrow("dataset: expected `limit`");
  });

  test("split keeps rows whose field says so, and rows that have none", async () => {
    const rows = ["dev", "test", undefined].map((split) => classicRow({ instance_id: `a-${split}`, split }));
    expect(await ids(await fileOf("rows.jsonl", lines(...rows)), { split: "test" })).toEqual([
      "a-test",
      "a-undefined",
    ]);
  });

  test("of a folder, split chooses the files, and shards are read as one", async () => {
    const first = await fileOf("test-00000-of-00002.jsonl", lines(classicRow({ instance_id: "b" })));
    const folder = dirname(first);
    const second = lines(classicRow({ instance_id: "a" }), classicRow({ instance_id: "b" }));
    await writeFile(join(folder, "test-00001-of-00002.jsonl"), second);
    await writeFile(join(folder, "README.md"), "no rows");
    const { instances, refused } = await readInstances(folder);
    expect(instances.map(({ id }) => id)).toEqual(["b", "a"]);
    expect(refused.map(({ message }) => message)).toEqual([
      "dataset: test-00001-of-00002.jsonl line 2 (b): instance_id: this id is in test-00000-of-00002.jsonl line 1 already",
    ]);
    await copyFile(first, join(folder, "dev.jsonl"));
    expect(await ids(folder, { split: "dev" })).toEqual(["b"]);
    await expect(readInstances(folder)).rejects.toThrow("holds the splits dev, test; choose one");
    await expect(readInstances(folder, { split: "train" })).rejects.toThrow("expected files of split train");
    await mkdir(join(folder, "empty"));
    await expect(readInstances(join(folder, "empty"))).rejects.toThrow("found none");
  });

  test("family is one of the known ones", async () => {
    const path = await fileOf("rows.jsonl", lines(classicRow()));
    const { instances } = await readInstances(path, { family: "swe-gym" });
    expect(instances[0]!.family).toBe("swe-gym");
    await expect(readInstances(path, { family: "swe" as never })).rejects.toThrow(
      "dataset: expected `family`",
    );
  });
});
