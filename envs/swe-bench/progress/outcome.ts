/**
 * Share of tests that passed, from what a run printed: the last summary of unittest, pytest or sympy; without one, all
 * or nothing by the exit code, or by a traceback if there is none. Undefined if the run says that it ran nothing.
 */
export function shareIn(text: string, exitCode: number | null): number | undefined {
  const summary = summaryIn(text);
  if (summary !== undefined) return summary.ran === 0 ? undefined : summary.passed / summary.ran;
  if (/no tests ran|^Ran 0 tests/m.test(text)) return undefined;
  if (/^Traceback \(most recent call last\)|^\w*Error\b/m.test(text)) return 0;
  return exitCode === null || exitCode === 0 ? 1 : 0;
}

interface Summary {
  readonly at: number;
  readonly ran: number;
  readonly passed: number;
}

function summaryIn(text: string): Summary | undefined {
  const found: Summary[] = [];
  for (const match of text.matchAll(/^Ran ([1-9]\d*) \w[^\n]*\n\s*(OK|FAILED)([^\n]*)/gm)) {
    const ran = Number(match[1]);
    const bad = [...match[3]!.matchAll(/(?:failures|errors|unexpected successes)=(\d+)/g)];
    const failed = bad.reduce((sum, [, count]) => sum + Number(count), 0);
    const passed = match[2] === "OK" ? ran : Math.max(0, ran - Math.max(1, failed));
    found.push({ at: match.index, ran, passed });
  }
  // pytest: "2 failed, 9 passed in 0.12s"; sympy: "tests finished: 9 passed, 2 failed, in 0.12 seconds".
  for (const match of text.matchAll(/\b\d+ (?:passed|failed|errors?|exceptions?)\b[^\n]*/g)) {
    const count = (words: string): number =>
      [...match[0].matchAll(new RegExp(`(\\d+) (?:${words})\\b`, "g"))].reduce(
        (sum, [, n]) => sum + Number(n),
        0,
      );
    const passed = count("passed");
    const ran = passed + count("failed|errors?|exceptions?");
    if (ran > 0) found.push({ at: match.index, ran, passed });
  }
  return found.sort((a, b) => a.at - b.at).at(-1);
}
