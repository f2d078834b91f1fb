import { existsSync } from "node:fs";
import { join } from "node:path";
import { asyncBufferFromFile, parquetReadObjects } from "hyparquet";
import { compressors } from "hyparquet-compressors";
import { beforeAll, describe, expect, test } from "vitest";
import type { SweInstance } from "../../../../envs/swe-bench/instance.ts";
import { instancesDigest, readInstances } from "../../../../envs/swe-bench/rows/index.ts";
import { toInstance } from "../../../../envs/swe-bench/rows/normalise.ts";
import { patchedFiles } from "../../../../envs/swe-bench/rows/patch-files.ts";
import { fileOf } from "./rows.ts";

// SWE-bench Verified itself, which is not in this repository. FORKGYM_SHARED names the folder that holds
// data/swe-bench/verified.parquet; FORKGYM_REQUIRE_SHARED=1 makes its absence a failure.
const shared = process.env.FORKGYM_SHARED ?? "";
const path = join(shared, "data", "swe-bench", "verified.parquet");
const found = existsSync(path);
const missing = `${path} is not there; FORKGYM_SHARED can name its folder`;

if (!found && process.env.FORKGYM_REQUIRE_SHARED === "1") {
  test("SWE-bench Verified is there", () => {
    throw new Error(missing);
  });
} else if (!found) {
  test.skip(`skipped: ${missing}`, () => {});
}

describe.runIf(found)("SWE-bench Verified", () => {
  let rows: Record<string, unknown>[];
  let instances: readonly SweInstance[];

  beforeAll(async () => {
    rows = await parquetReadObjects({ file: await asyncBufferFromFile(path), compressors });
    const read = await readInstances(path);
    expect(read.refused).toEqual([]);
    instances = read.instances;
  });

  test("500 instances of 12 repositories with 61,652 expected tests", () => {
    const tests = instances.map(({ hidden }) => [...hidden.failToPass, ...hidden.passToPass]);
    expect(instances.length).toBe(500);
    expect(tests.flat().length).toBe(61_652);
    expect(tests.flat().filter((id) => id.split("[").length > id.split("]").length).length).toBe(676);
    expect(Math.max(...instances.map(({ hidden }) => hidden.failToPass.length))).toBe(438);
    expect(Math.max(...instances.map(({ hidden }) => hidden.passToPass.length))).toBe(2476);
    expect(instances.filter(({ hidden }) => hidden.passToPass.length === 0).length).toBe(11);
    const count = (repo: string) => instances.filter((each) => each.repo === repo).length;
    const repos = new Set(instances.map(({ repo }) => repo));
    expect(Object.fromEntries([...repos].map((repo) => [repo, count(repo)]))).toEqual({
      "astropy/astropy": 22,
      "django/django": 231,
      "matplotlib/matplotlib": 34,
      "mwaskom/seaborn": 2,
      "pallets/flask": 1,
      "psf/requests": 8,
      "pydata/xarray": 22,
      "pylint-dev/pylint": 10,
      "pytest-dev/pytest": 19,
      "scikit-learn/scikit-learn": 32,
      "sphinx-doc/sphinx": 44,
      "sympy/sympy": 75,
    });
  });

  test("every instance is of SWE-bench, with image, script and parser of its row", () => {
    for (const [at, instance] of instances.entries()) {
      const row = rows[at]!;
      expect(instance.family).toBe("swe-bench");
      expect(instance.image).toBe(row.image);
      expect(instance.hidden.evalScript).toBe(row.eval_script);
      expect(instance.hidden.logParser).toBe(row.log_parser);
      expect(instance.hidden.goldPatch).toBe(row.patch);
    }
  });

  test("JSON and JSONL of the same rows give the same instances, and the same digest", async () => {
    const jsonl = await fileOf("v.jsonl", rows.map((row) => JSON.stringify(row)).join("\r\n"));
    const list = await fileOf("v.json", JSON.stringify(rows));
    const byId = await fileOf(
      "v.json",
      JSON.stringify(Object.fromEntries(rows.map((row) => [row.instance_id, row]))),
    );
    const digest = instancesDigest(instances);
    for (const file of [jsonl, list, byId]) {
      const read = await readInstances(file);
      expect(read.refused).toEqual([]);
      expect(instancesDigest(read.instances)).toBe(digest);
      expect(read.instances).toEqual(instances);
    }
  });

  test("the same rows without v5's fields get the same parser, image, eval type and script", () => {
    let scripts = 0;
    for (const row of rows) {
      const { image, eval_script, log_parser, eval_type, ...classic } = row;
      const { hidden, ...instance } = toInstance(classic);
      expect(instance.image).toBe(`docker.io/${image}`);
      expect(hidden.logParser).toBe(log_parser);
      expect(hidden.evalType).toBe(eval_type);
      // v5 pins a package in these two alone, between patch and tests.
      if (row.instance_id === "astropy__astropy-8707" || row.instance_id === "astropy__astropy-8872")
        continue;
      // Theirs names new and renamed files in `git checkout`; ours removes them.
      if (patchedFiles(hidden.testPatch).some(({ before, after }) => before !== after)) continue;
      expect(hidden.evalScript!.replace(/^(git checkout \w+) --/gm, "$1")).toBe(eval_script);
      scripts++;
    }
    expect(scripts).toBe(480);
  });

  test("17 test patches make files, two of them empty ones alone, and one moves one", () => {
    const files = instances.map(({ hidden }) => patchedFiles(hidden.testPatch));
    expect(files.filter((some) => some.some(({ before }) => before === null)).length).toBe(17);
    const some = instances.filter(({ hidden }) => hidden.testPatch.includes("\n--- /dev/null\n"));
    expect(some.length).toBe(15);
    const moved = files.flat().filter(({ before, after }) => before !== null && before !== after);
    expect(moved.length).toBe(1);
  });
});
