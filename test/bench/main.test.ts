import { spawnSync } from "node:child_process";
import { expect, inject, test } from "vitest";

// No test here looks at a time: machines are shared. The benches run without a Python, as most checkouts do.

function bench(...args: readonly string[]): { code: number | null; lines: string[]; stderr: string } {
  const { FORKGYM_PYTHON: _, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, ["dist/bench/main.js", ...args], {
    cwd: inject("packageFolder"),
    env,
    encoding: "utf8",
  });
  return { code: status, lines: stdout.trimEnd().split("\n"), stderr };
}

const TINY = ["--rounds", "2", "--ms", "1"];

test.each([
  ["step", "ns/step"],
  ["fork", "ns/fork"],
])("%s without a peer says so, gives our own numbers and is no failure", (name, unit) => {
  const { code, lines, stderr } = bench(name, ...TINY, "--min-ratio", "1000000");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(lines.at(-2)).toMatch(/^no peer, so no ratio: .*--python/);
  const result = JSON.parse(lines.at(-1)!);
  expect(result).toMatchObject({ bench: name, unit, peer: null, ratio: null, rounds: 2, blockMs: 1 });
  expect(result.ours).toBeGreaterThan(0);
  for (const { ours, peer, ratio } of result.comparisons) {
    expect(ours).toBeGreaterThan(0);
    expect([peer, ratio]).toEqual([null, null]);
  }
});

test("rollout gives turns per second for every strategy", () => {
  const { code, lines, stderr } = bench("rollout", ...TINY);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const result = JSON.parse(lines.at(-1)!);
  expect(result).toMatchObject({ bench: "rollout", unit: "us/turn", peer: null, ratio: null, rounds: 2 });
  expect(result.strategies.map(({ strategy }: { strategy: string }) => strategy)).toEqual([
    "independent",
    "patr",
  ]);
  for (const { turnsPerSecond } of result.strategies) expect(turnsPerSecond).toBeGreaterThan(0);
});

test("--require-peer makes a missing peer a failure", () => {
  const { code, lines } = bench("step", ...TINY, "--require-peer");
  expect(code).toBe(1);
  expect(lines.at(-2)).toBe("failed: --require-peer asks for the peer");
  expect(JSON.parse(lines.at(-1)!).ratio).toBeNull();
});

test("a Python that does not start is a missing peer", () => {
  const { code, lines } = bench("step", ...TINY, "--python", "./no-such-python");
  expect(code).toBe(0);
  expect(lines.at(-2)).toMatch(/^no peer, so no ratio: /);
});

test("without a name the benches are listed", () => {
  const { code, lines } = bench();
  expect(code).toBe(0);
  const listed = lines.join("\n");
  for (const name of ["step", "fork", "rollout"]) expect(listed).toContain(`\n  ${name} [options]`);
});

test("an unknown name is one line of error", () => {
  const { code, stderr } = bench("nope");
  expect({ code, stderr }).toEqual({ code: 2, stderr: "error: unknown command 'nope'\n" });
});
