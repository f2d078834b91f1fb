import { expect, test } from "vitest";
import { environments } from "../../../envs/index.ts";
import { forkgym, freshFolder, quiet } from "../forkgym.ts";

test("the environments in a table, with what each of them has", async () => {
  const lines = (await quiet(await freshFolder(), "envs")).trimEnd().split("\n");
  expect(lines).toHaveLength(2 + environments.length);
  expect(lines[0]).toMatch(/^\| environment +\| what it is +\| task sets +\| scorer +\| dialogue +\|$/);
  expect(lines[2]).toMatch(/^\| frozen-lake .*frozen-lake\/rllm-test.* progress +\| frozen-lake\/rllm +\|$/);
  expect(lines[3]).toMatch(/^\| frozen-lake-v1 .*frozen-lake-v1\/8x8.* - +\| - +\|$/);
  expect(lines[4]).toMatch(/^\| swe-bench .*swe-mini.* swe-progress +\| swe-bench\/sweagent +\|$/);
});

test("the same as JSON", async () => {
  const json = JSON.parse(await quiet(await freshFolder(), "envs --json"));
  expect(json).toMatchObject([
    { name: "frozen-lake", scorer: "progress", dialogue: "frozen-lake/rllm", learner: true },
    {
      name: "frozen-lake-v1",
      sets: ["frozen-lake-v1/4x4", "frozen-lake-v1/8x8"],
      scorer: null,
      learner: false,
    },
    { name: "swe-bench", sets: ["swe-mini"], scorer: "swe-progress", learner: false },
  ]);
});

test("an argument too many is a usage error", async () => {
  const { code, stdout, stderr } = await forkgym(await freshFolder(), "envs all");
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain("error: too many arguments for 'envs'. Expected 0 arguments but got 1.");
});

test("help and version end well, and no verb at all is a usage error that shows the help", async () => {
  const folder = await freshFolder();
  expect(await quiet(folder, "--version")).toMatch(/^\d+\.\d+\.\d+\n$/);
  const help = await quiet(folder, "--help");
  for (const verb of ["demo", "rollout", "train", "compare", "replay", "show", "tasks", "envs"]) {
    expect(help).toMatch(new RegExp(`^  ${verb} `, "m"));
  }
  expect(await forkgym(folder, "--json")).toMatchObject({ code: 2, stdout: "", stderr: help });
});
