import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { UpdateReport } from "../../../agents/learner/trainer.ts";
import type { Saved } from "../../../cli/train-run.ts";
import { evaluationLine, updateWords } from "../../../cli/verbs/train.ts";
import { forkgym, freshFolder, linesOf, quiet, start, untilLines } from "../forkgym.ts";

const TRAIN = "train frozen-lake/rllm-test --steps 100";

async function reports(run: string): Promise<UpdateReport[]> {
  return (await linesOf(join(run, "updates.jsonl"))).map((line) => JSON.parse(line) as UpdateReport);
}

async function saved(run: string): Promise<Saved> {
  return JSON.parse(await readFile(join(run, "learner.json"), "utf8")) as Saved;
}

test("it writes a line per update and the weights, and says what it spent", async () => {
  const folder = await freshFolder();
  const text = await quiet(folder, `${TRAIN} --updates 3 --seed 2`);
  const run = join(folder, "runs/train-frozen-lake-rllm-test-patr-s2");
  expect((await readdir(run)).sort()).toEqual(["learner.json", "run.json", "updates.jsonl"]);
  const [, , last] = await reports(run);
  expect(text).toBe(
    `3 of 3 updates, ${last!.envSteps} env steps; weights: runs/train-frozen-lake-rllm-test-patr-s2/learner.json\n`,
  );
  expect((await saved(run)).trainer).toMatchObject({ update: 3, envSteps: last!.envSteps });
});

test("--evaluate judges the result on a set, the same again and for a run that is complete", async () => {
  const folder = await freshFolder();
  const args = `${TRAIN} --updates 1 --evaluate frozen-lake/rllm-test --out t`;
  const json = JSON.parse(await quiet(folder, `${args} --json`));
  expect(json).toMatchObject({ run: "t", complete: true, update: 1, problems: 0, failed: 0 });
  expect(json.pass).toBeGreaterThan(json.success);
  expect(JSON.parse(await quiet(folder, `${args} --json`))).toEqual(json);
  const percent = (share: number) => `${(100 * share).toFixed(1)}%`;
  expect((await quiet(folder, args)).split("\n")[1]).toBe(
    `frozen-lake/rllm-test: success ${percent(json.success)}, Pass@4 ${percent(json.pass)}`,
  );
});

test("4 updates and then 12 are the same as 12 at once", async () => {
  const folder = await freshFolder();
  for (const updates of [4, 12]) await quiet(folder, `${TRAIN} --updates ${updates} --out steps`);
  await quiet(folder, `${TRAIN} --updates 12 --out whole`);
  expect(await saved(join(folder, "steps"))).toEqual(await saved(join(folder, "whole")));
  expect(await reports(join(folder, "steps"))).toEqual(await reports(join(folder, "whole")));
  expect((await reports(join(folder, "steps"))).map(({ update }) => update)).toEqual(
    [...Array(12).keys()].map((n) => n + 1),
  );
});

test("SIGINT ends with code 130 and a folder that the same command completes", async () => {
  const folder = await freshFolder();
  const args = `${TRAIN} --updates 60 --out`;
  const running = start(folder, `${args} t`);
  await untilLines(join(folder, "t/updates.jsonl"), 12, running);
  running.process.kill("SIGINT");
  const { code, stdout, stderr } = await running.ended;
  expect([code, stderr]).toEqual([130, ""]);
  expect(stdout).toMatch(/^\d+ of 60 updates, .*\nstopped; the same command goes on\n$/);
  const done = (await reports(join(folder, "t"))).length;
  expect(done).toBeLessThan(60);
  expect((await saved(join(folder, "t"))).trainer.update).toBeGreaterThanOrEqual(10);
  expect(await quiet(folder, `${args} t`)).toMatch(/^60 of 60 updates/);
  await quiet(folder, `${args} whole`);
  expect(await saved(join(folder, "t"))).toEqual(await saved(join(folder, "whole")));
  expect(await reports(join(folder, "t"))).toEqual(await reports(join(folder, "whole")));
});

test("another seed or price is refused, and a damaged learner.json named", async () => {
  const folder = await freshFolder();
  await quiet(folder, `${TRAIN} --updates 1 --out t`);
  const file = join(folder, "t/learner.json");
  const text = await readFile(file, "utf8");
  for (const [option, difference] of [
    ["--seed 5", "`seed` was 0, now 5"],
    ["--steps 200", "`stepsPerUpdate` was 100, now 200"],
  ]) {
    const { code, stderr } = await forkgym(folder, `${TRAIN} --updates 1 --out t ${option}`);
    expect(code).toBe(2);
    expect(stderr).toContain(`forkgym: run folder: t holds another run: ${difference};`);
  }
  expect(await readFile(file, "utf8")).toBe(text);
  for (const [damaged, message] of [
    [text.slice(0, 50), /^forkgym: train: t\/learner\.json is not JSON \(.*\); delete it to train anew\n$/],
    [
      '{"learner":{},"trainer":{"update":1,"cursor":"x"}}',
      /^forkgym: train: t\/learner\.json: expected `trainer\.cursor` to be a whole number, got "x"; delete it to train anew\n$/,
    ],
    [
      text.replace(/"parameters":\[[^\]]*\]/, '"parameters":7'),
      /^forkgym: train: t\/learner\.json: learner: expected `parameters` of \d+ finite numbers; delete it to train anew\n$/,
    ],
    [
      text.replace(/"steps":\d+,"m"/, '"m"'),
      /^forkgym: train: t\/learner\.json: adam: expected `steps` to be a whole number from 0 up, got undefined; delete it to train anew\n$/,
    ],
    [
      '{"learner":{}}',
      /^forkgym: train: t\/learner\.json lacks `trainer` or `learner`; delete it to train anew\n$/,
    ],
  ] as const) {
    await writeFile(file, damaged);
    expect((await forkgym(folder, `${TRAIN} --updates 1 --out t`)).stderr).toMatch(message);
  }
});

test("--evaluate with a set of another environment is refused, both environments named", async () => {
  const folder = await freshFolder();
  const { code, stdout, stderr } = await forkgym(folder, `${TRAIN} --evaluate frozen-lake-v1/4x4`);
  expect([code, stdout, stderr]).toEqual([
    2,
    "",
    "forkgym: train: --evaluate: expected a task set of frozen-lake, which is trained on, " +
      'got "frozen-lake-v1/4x4" of frozen-lake-v1\n',
  ]);
  expect(await readdir(folder)).toEqual([]);
});

test("a damaged updates.jsonl is one error with its line, and nothing is changed", async () => {
  const folder = await freshFolder();
  await quiet(folder, `${TRAIN} --updates 3 --out t`);
  const file = join(folder, "t/updates.jsonl");
  const [first, second, third] = await linesOf(file);
  const end = "; the file was damaged after it was written";
  for (const [lines, message] of [
    [[first, "null", third], `updates.jsonl line 2: expected \`update\` to be 2, got undefined${end}`],
    [[first, '{"update":"x"}', third], `updates.jsonl line 2: expected \`update\` to be 2, got "x"${end}`],
    [[first, third], `updates.jsonl line 2: expected \`update\` to be 2, got 3${end}`],
    [
      [first, second],
      "updates.jsonl: holds 2 updates, and learner.json was saved at update 3: lines were lost; " +
        "delete learner.json to train anew",
    ],
  ] as const) {
    const text = lines.map((line) => `${line}\n`).join("");
    await writeFile(file, text);
    const { code, stdout, stderr } = await forkgym(folder, `${TRAIN} --updates 4 --out t`);
    expect([code, stdout, stderr]).toEqual([2, "", `forkgym: ${message}\n`]);
    expect(await readFile(file, "utf8")).toBe(text);
  }
});

test("what failed is told in an update and in an evaluation, and only then", () => {
  const report = { success: 0.5, entropy: 1.234, problems: 0, leftOut: 0 } as UpdateReport;
  expect(updateWords(report)).toBe("success 50.0%, entropy 1.23");
  expect(updateWords({ ...report, problems: 3 })).toBe("success 50.0%, entropy 1.23, 3 problems");
  expect(updateWords({ ...report, success: Number.NaN, problems: 8, leftOut: 2 })).toBe(
    "success -, entropy 1.23, 8 problems, 2 groups left out",
  );
  const judged = { success: 0.25, pass: 0.5, failed: 0 };
  expect(evaluationLine("s", judged)).toBe("s: success 25.0%, Pass@4 50.0%");
  expect(evaluationLine("s", { success: Number.NaN, pass: Number.NaN, failed: 12 })).toBe(
    "s: success -, Pass@4 -; 12 episodes failed and are left out",
  );
});

test("the help names the folder that is taken", async () => {
  const folder = await freshFolder();
  const help = (await quiet(folder, "train --help")).replaceAll(/\s+/g, " ");
  expect(help).toContain("(default: runs/train-<set>-<strategy>-s<seed>)");
});

test.each([
  ["train", "error: missing required argument 'set'"],
  ["train chess", 'forkgym: no task set "chess"; there are frozen-lake/rllm-train'],
  ["train frozen-lake-v1/4x4", "forkgym: train: frozen-lake-v1 has no features for the learner"],
  ["train frozen-lake/rllm-test --evaluate chess", 'forkgym: no task set "chess"'],
  ["train frozen-lake/rllm-test --updates 0", "argument '0' is invalid. Expected a whole number from 1 up."],
  ["train frozen-lake/rllm-test --update 3", "error: unknown option '--update'\n(Did you mean --updates?)"],
])("a usage error is named, has code 2 and leaves nothing behind: %s", async (args, message) => {
  const folder = await freshFolder();
  const { code, stdout, stderr } = await forkgym(folder, args);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(message);
  expect(await readdir(folder)).toEqual([]);
});
