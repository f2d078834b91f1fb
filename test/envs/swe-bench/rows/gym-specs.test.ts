import { expect, test } from "vitest";
import { gymSpecOf } from "../../../../envs/swe-bench/rows/gym-specs.ts";
import { toInstance } from "../../../../envs/swe-bench/rows/normalise.ts";
import { classicRow, TESTS } from "./rows.ts";

const REPOS: readonly (readonly [string, string])[] = [
  ["bokeh/bokeh", "3.4"],
  ["conan-io/conan", "2.0"],
  ["dask/dask", "2023.10"],
  ["facebookresearch/hydra", "1.3"],
  ["getmoto/moto", "4.0"],
  ["iterative/dvc", "3.10"],
  ["modin-project/modin", "0.20"],
  ["pandas-dev/pandas", "2.2"],
  ["Project-MONAI/MONAI", "1.0"],
  ["pydantic/pydantic", "2.0"],
  ["python/mypy", "1.10"],
];

test.each(REPOS)("a row of %s %s as published has a script with a test command", (repo, version) => {
  const { family, hidden } = toInstance(classicRow({ repo, version }));
  const given = repo === "python/mypy" ? "-k ''" : "tests/test_a.py";
  expect(family).toBe("swe-gym");
  expect(hidden.evalScript).toMatch(
    new RegExp(`: '>>>>> Start Test Output'\\npytest .*${given}\\n: '>>>>> End Test Output'\\n`),
  );
});

test("mypy's tests are chosen by the names of the cases in the test patch", () => {
  const test_patch = `${TESTS}+[case testOne]\n+x\n+[case testTwo-skip]\n`;
  const row = classicRow({ repo: "python/mypy", version: "1.6", test_patch });
  expect(toInstance(row).hidden.evalScript).toContain("\npytest -n0 -rA -k 'testOne or testTwo-skip'\n");
  const commands = { test_cmd: "pytest" };
  expect(toInstance({ ...row, install_config: commands }).hidden.evalScript).toContain(
    " pytest tests/test_a.py\n",
  );
});

test.each([
  ["bokeh/bokeh", "2.4", "3.0", "bokeh sampledata"],
  ["conan-io/conan", "1.59", "1.60", "cython<3"],
  ["conan-io/conan", "2.0", "2.1", "cython<3"],
  ["facebookresearch/hydra", "1.2", "1.3", "pip==24.0"],
  ["iterative/dvc", "3.3", "3.10", "pytest<8"],
  ["modin-project/modin", "0.9", "0.20", "numpy==1.23.1"],
  ["pandas-dev/pandas", "2.1", "2.2", "numpy<2"],
  ["python/mypy", "0.990", "1.0", "pytest-xdist"],
])("%s is installed otherwise up to %s than from %s on", (repo, last, next, words) => {
  const install = (version: string) => gymSpecOf(repo, version)!.install;
  expect(install(last)).toContain(words);
  expect(install(next)).not.toContain(words);
});

test("mypy runs without workers from 1.7 on, by number and not by text", () => {
  const at = (version: string) => gymSpecOf("python/mypy", version)!.test;
  expect([at("1.6"), at("1.7"), at("1.10")]).toEqual(["pytest -n0 -rA -k", "pytest -rA -k", "pytest -rA -k"]);
});

test("other repositories are none of SWE-Gym's", () => {
  expect(gymSpecOf("django/django", "4.0")).toBeUndefined();
});
