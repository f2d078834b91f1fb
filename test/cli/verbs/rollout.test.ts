import { copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Standing } from "../../../cli/contest.ts";
import type { TreeRecord } from "../../../core/run/record.ts";
import type { Summary } from "../../../core/run/report.ts";
import { forkgym, freshFolder, linesOf, quiet, start, untilLines } from "../forkgym.ts";

/** Digests of the trees of a run, sorted: trees may come in any order. */
async function digests(run: string): Promise<string[]> {
  const lines = await linesOf(join(run, "trees.jsonl"));
  return lines.map((line) => (JSON.parse(line) as TreeRecord).digest).sort();
}

/** Names and contents of a folder's files. */
async function contents(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder)).sort();
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), "utf8")])),
  );
}

test("a run in text: what it found and where it is, and nothing on standard error in a pipe", async () => {
  const folder = await freshFolder();
  const text = await quiet(folder, "rollout frozen-lake/rllm-test --tasks 3 --seed 4");
  expect(text).toMatch(
    /^3 trees; \d+ leaves: .*\nleaves won .*\n\d+ env steps, 3 resets, .* s\nrun: runs\/frozen-lake-rllm-test-patr-s4\n$/,
  );
  expect(await readdir(join(folder, "runs/frozen-lake-rllm-test-patr-s4"))).toEqual([
    "run.json",
    "trees.jsonl",
  ]);
});

test("with --json it prints one object, before or after the verb", async () => {
  const folder = await freshFolder();
  const after = JSON.parse(await quiet(folder, "rollout frozen-lake/rllm-test --tasks 2 --out a --json"));
  const before = JSON.parse(await quiet(folder, "--json rollout frozen-lake/rllm-test --tasks 2 --out b"));
  expect(after).toMatchObject({ run: "a", trees: 2, incomplete: 0, budget: { resets: 2 } });
  const { seconds, ...counts } = before.budget;
  expect(after).toMatchObject({ ...before, run: "a", budget: counts });
  expect(await digests(join(folder, "a"))).toEqual(await digests(join(folder, "b")));
});

test("the manifest holds all that decides the result", async () => {
  const folder = await freshFolder();
  await quiet(
    folder,
    "rollout frozen-lake/rllm-test --tasks 1 --set limit=8 --strategy independent:n=2 --out r",
  );
  expect(JSON.parse(await readFile(join(folder, "r/run.json"), "utf8"))).toEqual({
    format: 1,
    versions: { forkgym: expect.stringMatching(/^\d+\.\d+/), node: process.versions.node },
    kind: "rollout",
    config: {
      env: "frozen-lake",
      set: {
        name: "frozen-lake/rllm-test",
        version: 1,
        options: { limit: "8" },
        digest: "6e35695464e7cb0ce8710f8f67f786308021bde138f77a26da4b0c1719708554",
      },
      seed: 0,
      policy: "random",
      strategy: { name: "independent", options: { n: 2 } },
    },
  });
});

describe("the same command again", () => {
  test("goes on: 3 tasks and then 6 are the same as 6 at once, and 6 again adds nothing", async () => {
    const folder = await freshFolder();
    const run = (tasks: number, out: string) =>
      quiet(folder, `rollout frozen-lake/rllm-test --tasks ${tasks} --out ${out} --json`);
    await run(3, "steps");
    const first = await linesOf(join(folder, "steps/trees.jsonl"));
    const steps = JSON.parse(await run(6, "steps"));
    const whole = JSON.parse(await run(6, "whole"));
    expect((await linesOf(join(folder, "steps/trees.jsonl"))).slice(0, 3)).toEqual(first);
    expect(await digests(join(folder, "steps"))).toEqual(await digests(join(folder, "whole")));
    expect(steps).toMatchObject({ trees: 6, ends: whole.ends, budget: { envSteps: whole.budget.envSteps } });
    const before = await contents(join(folder, "steps"));
    expect(JSON.parse(await run(6, "steps"))).toMatchObject({ trees: 6 });
    expect(await contents(join(folder, "steps"))).toEqual(before);
  });

  test("--from goes on with the next tasks, in a folder of their own or the same", async () => {
    const folder = await freshFolder();
    const run = (args: string) => quiet(folder, `rollout frozen-lake/rllm-test ${args} --json`);
    await run("--tasks 4 --out whole");
    expect(JSON.parse(await run("--from 2 --tasks 2 --out rest"))).toMatchObject({ trees: 2 });
    const whole = await digests(join(folder, "whole"));
    const rest = await digests(join(folder, "rest"));
    expect(rest).toEqual(whole.filter((digest) => rest.includes(digest)));
    await run("--tasks 2 --out rest");
    expect(await digests(join(folder, "rest"))).toEqual(whole);
    expect(await forkgym(folder, "rollout frozen-lake/rllm-test --from 100000 --out none")).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^forkgym: --from: expected less than the \d+ tasks of .*, got 100000\n$/,
      ),
    });
  });

  test("with fewer tasks reports these tasks, for several strategies the same ones", async () => {
    const folder = await freshFolder();
    const counts = ({ budget: { seconds, ...counts }, ...summary }: Summary) => ({ ...summary, counts });
    const run = async (tasks: number, out: string) =>
      JSON.parse(await quiet(folder, `rollout frozen-lake/rllm-test --tasks ${tasks} --out ${out} --json`));
    await run(8, "r");
    expect(counts({ ...(await run(2, "r")), run: "fresh" })).toEqual(counts(await run(2, "fresh")));
    const contest = async (tasks: number, strategies: readonly string[], out: string) => {
      const args = strategies.map((strategy) => `--strategy ${strategy}`).join(" ");
      const text = await quiet(
        folder,
        `rollout frozen-lake/rllm-test ${args} --tasks ${tasks} --seeds 2 --budget 8 --out ${out} --json`,
      );
      const { standings } = JSON.parse(text) as { readonly standings: Standing[] };
      return standings.map(({ seconds, ...rest }) => rest);
    };
    await contest(6, ["patr", "independent:n=2"], "c");
    const few = await contest(2, ["patr", "independent:n=2", "arpo"], "c");
    expect(few.map(({ trees }) => trees)).toEqual([4, 4, 4]);
    expect(few).toEqual(await contest(2, ["patr", "independent:n=2", "arpo"], "c2"));
  });

  test("with another version of forkgym goes on, with one note", async () => {
    const folder = await freshFolder();
    const contest =
      "rollout frozen-lake/rllm-test --tasks 1 --strategy patr --strategy arpo --seeds 2 --out c";
    await quiet(folder, contest);
    for (const name of await readdir(join(folder, "c"))) {
      const file = join(folder, "c", name, "run.json");
      const manifest = JSON.parse(await readFile(file, "utf8"));
      await writeFile(file, JSON.stringify({ ...manifest, versions: { forkgym: "0.0.1", node: "20.0.0" } }));
    }
    const { code, stderr } = await forkgym(folder, contest);
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^run\.json: begun with forkgym 0\.0\.1, goes on with \S+; what they find may differ\n$/,
    );
  });

  test("with another seed, strategy, set or policy is refused, the first difference named, nothing changed", async () => {
    const folder = await freshFolder();
    const base = "rollout frozen-lake/rllm-test --tasks 2 --out r";
    await quiet(folder, base);
    const before = await contents(join(folder, "r"));
    for (const [args, difference] of [
      [`${base} --seed 1`, "`seed` was 0, now 1"],
      [`${base} --strategy patr:every=4`, "`strategy.options.every` was 5, now 4"],
      [`${base} --strategy independent`, '`strategy.name` was "patr", now "independent"'],
      [`${base} --set limit=8`, '`set.options.limit` was absent, now "8"'],
      [
        base.replace("rllm-test", "hard-test"),
        '`set.name` was "frozen-lake/rllm-test", now "frozen-lake/hard-test"',
      ],
    ] as const) {
      expect(await forkgym(folder, args), args).toEqual({
        code: 2,
        signal: null,
        stdout: "",
        stderr: `forkgym: run folder: r holds another run: ${difference}; choose another folder, or the same options as before\n`,
      });
      expect(await contents(join(folder, "r")), args).toEqual(before);
    }
  });

  test("notes a last line that was cut off, and grows that tree again", async () => {
    const folder = await freshFolder();
    const args = "rollout frozen-lake/rllm-test --tasks 3 --out r";
    await quiet(folder, args);
    const whole = await digests(join(folder, "r"));
    const file = join(folder, "r/trees.jsonl");
    const text = await readFile(file, "utf8");
    await writeFile(file, text.slice(0, -100));
    const { code, stdout, stderr } = await forkgym(folder, args);
    expect([code, stdout.split(";")[0]]).toEqual([0, "3 trees"]);
    expect(stderr).toMatch(/^trees\.jsonl: dropped \d+ bytes of a last line that was cut off\n$/);
    expect(await digests(join(folder, "r"))).toEqual(whole);
  });

  test("names a damaged line in the middle, and changes nothing", async () => {
    const folder = await freshFolder();
    const args = "rollout frozen-lake/rllm-test --tasks 3 --out r";
    await quiet(folder, args);
    const file = join(folder, "r/trees.jsonl");
    const [first, second, third] = await linesOf(file);
    for (const [damaged, message] of [
      [
        second!.slice(1),
        /^forkgym: trees\.jsonl line 2: not JSON .*; the file was damaged after it was written\n$/,
      ],
      [second!.replace('"v":1', '"v":7'), /^forkgym: trees\.jsonl line 2: expected `v` to be 1, got 7\n$/],
      ["null", /^forkgym: trees\.jsonl line 2: expected `v` to be 1, got undefined\n$/],
      [
        second!.replace('"budget"', '"bugdet"'),
        /^forkgym: trees\.jsonl line 2: expected `budget\.turns` to be a/,
      ],
    ] as const) {
      await writeFile(file, [first, damaged, third, ""].join("\n"));
      const before = await contents(join(folder, "r"));
      const { code, stdout, stderr } = await forkgym(folder, args);
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toMatch(message);
      expect(await contents(join(folder, "r"))).toEqual(before);
    }
  });

  test("refuses a run of another format, and trees without a run.json", async () => {
    const folder = await freshFolder();
    await quiet(folder, "rollout frozen-lake/rllm-test --tasks 1 --out r");
    const file = join(folder, "r/run.json");
    await writeFile(file, (await readFile(file, "utf8")).replace('"format": 1', '"format": 9'));
    const other = await forkgym(folder, "rollout frozen-lake/rllm-test --tasks 1 --out r");
    expect(other.code).toBe(2);
    expect(other.stderr).toMatch(
      /^forkgym: run folder: .*has format 9, this version reads format 1; choose another/,
    );
    await rm(file);
    const stray = await forkgym(folder, "rollout frozen-lake/rllm-test --tasks 1 --out r");
    expect([stray.code, stray.stderr]).toEqual([
      2,
      "forkgym: run folder: r holds trees.jsonl but no run.json; choose another folder\n",
    ]);
  });
});

test("SIGINT ends with code 130 and a usable folder, which the same command completes", async () => {
  const folder = await freshFolder();
  const args = "rollout frozen-lake/hard-test --strategy patr:branches=8,top=4,every=4,maxLeaves=24 --out";
  const running = start(folder, `${args} r`);
  await untilLines(join(folder, "r/trees.jsonl"), 1, running);
  running.process.kill("SIGINT");
  const { code, signal, stdout, stderr } = await running.ended;
  expect([code, signal, stderr]).toEqual([130, null, ""]);
  const done = (await linesOf(join(folder, "r/trees.jsonl"))).length;
  expect(done).toBeGreaterThan(0);
  expect(done).toBeLessThan(100);
  expect(stdout).toContain(`stopped with ${done} of 100 trees in r; the same command goes on\n`);
  expect(await readdir(join(folder, "r"))).toEqual(["run.json", "trees.jsonl"]);
  expect(await quiet(folder, "replay r")).toContain(`${done} trees,`);
  const early = await linesOf(join(folder, "r/trees.jsonl"));
  expect(await quiet(folder, `${args} r`)).toMatch(/^100 trees; /);
  expect((await linesOf(join(folder, "r/trees.jsonl"))).slice(0, done)).toEqual(early);
  await quiet(folder, `${args} whole`);
  expect(await digests(join(folder, "r"))).toEqual(await digests(join(folder, "whole")));
});

test("two runs at once in one folder: the second is told who holds it", async () => {
  const folder = await freshFolder();
  const args = "rollout frozen-lake/hard-test --strategy patr:branches=8,top=4,every=4,maxLeaves=24 --out r";
  const running = start(folder, args);
  await untilLines(join(folder, "r/trees.jsonl"), 1, running);
  running.process.kill("SIGSTOP");
  const second = await forkgym(folder, args);
  expect([second.code, second.stdout]).toEqual([2, ""]);
  expect(second.stderr).toBe(
    `forkgym: run folder: r/run.lock is held by process ${running.process.pid}, which is still running; ` +
      "wait for it, or choose another folder\n",
  );
});

test("a full disk ends with one line, and with room again the run completes", async () => {
  const folder = await freshFolder();
  const args = "rollout frozen-lake/rllm-test --tasks 20 --out";
  await quiet(folder, `${args} whole`);
  const full = await forkgym(folder, `${args} r`, { limitKiB: 64 });
  expect([full.code, full.stdout]).toEqual([2, ""]);
  expect(full.stderr).toMatch(/^forkgym: EFBIG: [^\n]*\n$/);
  const again = await forkgym(folder, `${args} r`);
  expect([again.code, again.stdout.split(";")[0]]).toEqual([0, "20 trees"]);
  expect(again.stderr).toMatch(/^(trees\.jsonl: dropped \d+ bytes of a last line that was cut off\n)?$/);
  expect(await digests(join(folder, "r"))).toEqual(await digests(join(folder, "whole")));
});

test("the weights that a training run saved play", async () => {
  const folder = await freshFolder();
  await quiet(folder, "train frozen-lake/rllm-test --updates 1 --steps 600 --out t");
  const args = "rollout frozen-lake/rllm-test --tasks 2 --policy learner:t/learner.json --out r";
  await quiet(folder, args);
  const { config } = JSON.parse(await readFile(join(folder, "r/run.json"), "utf8"));
  expect(config.policy).toMatch(/^learner:[0-9a-f]{64}$/);
  const record = JSON.parse((await linesOf(join(folder, "r/trees.jsonl")))[0]!) as TreeRecord;
  expect(record.nodes[1]!.choice!.logprob).toBeLessThan(0);
  await mkdir(join(folder, "elsewhere"));
  await copyFile(join(folder, "t/learner.json"), join(folder, "elsewhere/same.json"));
  await quiet(folder, args.replace("t/learner.json", "elsewhere/same.json"));
  await quiet(folder, "train frozen-lake/rllm-test --updates 2 --steps 600 --out t");
  expect((await forkgym(folder, args)).stderr).toContain("r holds another run: `policy` was");
});

test.each([
  ["rollout", "error: missing required argument 'set'"],
  ["rolout frozen-lake/rllm-test", "error: unknown command 'rolout'\n(Did you mean rollout?)"],
  [
    "rollout frozen-lake/rllm-tset",
    'forkgym: no task set "frozen-lake/rllm-tset"; there are frozen-lake/rllm-train',
  ],
  ["rollout frozen-lake/rllm-test --tsks 3", "error: unknown option '--tsks'\n(Did you mean --tasks?)"],
  ["rollout frozen-lake/rllm-test --tasks 0", "argument '0' is invalid. Expected a whole number from 1 up."],
  [
    "rollout frozen-lake/rllm-test --seed 1.5",
    "argument '1.5' is invalid. Expected a whole number from 0 up.",
  ],
  [
    "rollout frozen-lake/rllm-test --strategy patr --strategy arpo --strategy patr",
    'forkgym: --strategy: "patr" is named twice; name each once\n',
  ],
  ["rollout frozen-lake/rllm-test --set limit", "argument 'limit' is invalid. Expected name=value."],
  ["rollout frozen-lake/rllm-test --set limit=6", "expected `limit` to be one of 5, 8, got 6"],
  [
    "rollout frozen-lake/rllm-test --strategy grpo",
    '--strategy: expected one of independent, patr, tree-random, arpo, got "grpo"',
  ],
  [
    "rollout frozen-lake/rllm-test --strategy patr:depth=1",
    "--strategy patr: no option `depth`; it has branches",
  ],
  [
    "rollout frozen-lake/rllm-test --policy greedy",
    '--policy: expected random, repair, learner:FILE, vllm, vllm-generate, sglang, openai, got "greedy"',
  ],
  ["rollout frozen-lake/rllm-test --policy learner:no.json", "--policy: cannot read no.json: ENOENT"],
  [
    "rollout frozen-lake-v1/4x4 --policy learner:no.json",
    "--policy: frozen-lake-v1 has no features for the learner",
  ],
  [
    "rollout frozen-lake-v1/4x4",
    "patr routes by score and frozen-lake-v1 has no scorer; try --strategy tree-random",
  ],
  ["rollout frozen-lake/rllm-test --seeds 3", "--seeds: it is for several strategies, got one;"],
  ["rollout frozen-lake/rllm-test --temperature 0.5", "--temperature: it is for a model (--policy vllm,"],
])("a usage error is named, has code 2 and leaves nothing behind: %s", async (args, message) => {
  const folder = await freshFolder();
  const { code, stdout, stderr } = await forkgym(folder, args);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(message);
  expect(stderr).not.toContain("    at ");
  expect(await readdir(folder)).toEqual([]);
});

test("an environment without a scorer rolls out with a strategy that needs none", async () => {
  const folder = await freshFolder();
  expect(await quiet(folder, "rollout frozen-lake-v1/4x4 --strategy tree-random --out r")).toMatch(
    /^1 trees; /,
  );
  expect(await quiet(folder, "replay r")).toMatch(/^1 trees, \d+ actions replayed, 0 differences\n$/);
});

test("a folder that cannot be made ends with one line", async () => {
  const folder = await freshFolder();
  await writeFile(join(folder, "taken"), "");
  const { code, stderr } = await forkgym(folder, "rollout frozen-lake/rllm-test --tasks 1 --out taken");
  expect(code).toBe(2);
  expect(stderr).toMatch(/^forkgym: EEXIST: [^\n]*taken'\n$/);
});
