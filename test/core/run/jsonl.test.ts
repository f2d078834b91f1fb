import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { countLines, JsonlLog, readJsonl, readJsonlAt } from "../../../core/run/jsonl.ts";

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "forkgym-test-"));
  file = join(folder, "log.jsonl");
});
afterEach(() => rm(folder, { recursive: true }));

async function openLog() {
  const values: unknown[] = [];
  const { log, dropped } = await JsonlLog.open(file, ({ value }) => values.push(value));
  return { log, dropped, values };
}

test("what was appended is read back, in order, also when appended at once", async () => {
  const { log } = await openLog();
  await Promise.all([1, 2, 3].map((n) => log.append({ n, text: "é\n\u2028" })));
  await log.close();
  const again = await openLog();
  await again.log.close();
  expect(again.values).toEqual([1, 2, 3].map((n) => ({ n, text: "é\n\u2028" })));
});

test("a file cut off at any byte keeps every whole line, and goes on", async () => {
  const lines = [{ a: 1 }, { b: "zwölf" }, { c: [1, 2] }];
  const bytes = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: bytes.length }), async (cut) => {
      await writeFile(file, bytes.subarray(0, cut));
      const { log, dropped, values } = await openLog();
      await log.append({ last: true });
      await log.close();
      const whole = bytes.subarray(0, cut).toString().split("\n");
      const missesOnlyNewline =
        whole.at(-1) !== "" && lines.some((line) => JSON.stringify(line) === whole.at(-1));
      const kept = whole.length - 1 + (missesOnlyNewline ? 1 : 0);
      expect(values).toEqual(lines.slice(0, kept));
      expect(dropped).toBe(
        missesOnlyNewline ? 0 : Buffer.byteLength(bytes.subarray(0, cut)) - lengthOf(lines.slice(0, kept)),
      );
      const text = await readFile(file, "utf8");
      expect(text).toBe(
        [...lines.slice(0, kept), { last: true }].map((line) => `${JSON.stringify(line)}\n`).join(""),
      );
    }),
    { numRuns: bytes.length },
  );
});

function lengthOf(lines: readonly unknown[]): number {
  return Buffer.byteLength(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

test("a damaged line in the middle is named, and nothing is changed", async () => {
  const text = '{"a":1}\n{"b":\n{"c":3}\n';
  await writeFile(file, text);
  await expect(openLog()).rejects.toThrow(
    /^log\.jsonl line 2: not JSON .* the file was damaged after it was written$/,
  );
  expect(await readFile(file, "utf8")).toBe(text);
});

test("lines longer than a read chunk come whole", async () => {
  const big = { text: "x".repeat(300_000) };
  await writeFile(file, `${JSON.stringify(big)}\n${JSON.stringify(big)}\n`);
  const values = [];
  for await (const { value, line } of readJsonl(file)) values.push([line, value]);
  expect(values).toEqual([
    [1, big],
    [2, big],
  ]);
});

test("a line of 24 MB is read in a moment: its pieces are joined once", async () => {
  await writeFile(file, `{"a":"${"x".repeat(24 << 20)}"}\n`);
  const began = performance.now();
  const lengths = [];
  for await (const { value } of readJsonl(file)) lengths.push((value as { a: string }).a.length);
  expect(lengths).toEqual([24 << 20]);
  // Joining them again with each piece takes over two seconds.
  expect(performance.now() - began).toBeLessThan(1500);
});

test("lines are counted whatever is in them, a last one that was cut off not", async () => {
  for (const [text, count] of [
    ["", 0],
    ["{}", 0],
    ['{}\nnot JSON\n{"a":', 2],
    [`${"é".repeat(70_000)}\n\n`, 2],
  ] as const) {
    await writeFile(file, text);
    expect(await countLines(file)).toBe(count);
  }
});

test("one line is read without the others being parsed", async () => {
  await writeFile(file, 'not JSON\n{"a":2}\n{"a":');
  expect(await readJsonlAt(file, 2)).toEqual({ a: 2 });
  expect(await readJsonlAt(file, 3)).toBeUndefined();
  await expect(readJsonlAt(file, 1)).rejects.toThrow("log.jsonl line 1: not JSON");
});

describe("lines that are dropped", () => {
  test("leave the others byte for byte, and what is appended comes after them", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.json(), fc.boolean())), async (lines) => {
        await writeFile(file, lines.map(([json]) => `${json.replaceAll("\n", " ")} \n`).join(""));
        await writeFile(`${file}.tmp`, "left over from a kill");
        const { log } = await openLog();
        const last = log.append({ before: true });
        await log.drop(new Set(lines.flatMap(([, drop], at) => (drop ? [at + 1] : []))));
        await last;
        await log.append({ after: true });
        await log.close();
        const kept = lines.filter(([, drop]) => !drop);
        expect(await readFile(file, "utf8")).toBe(
          `${kept.map(([json]) => `${json.replaceAll("\n", " ")} \n`).join("")}{"before":true}\n{"after":true}\n`,
        );
        expect(await readdir(folder)).toEqual(["log.jsonl"]);
      }),
      { numRuns: 30 },
    );
  });

  test("stay where they are if the new file cannot be made", async () => {
    await writeFile(file, '{"a":1}\n{"a":2}\n');
    await mkdir(`${file}.tmp`);
    const { log } = await openLog();
    await expect(log.drop(new Set([1]))).rejects.toThrow(/directory/);
    await log.close();
    expect(await readFile(file, "utf8")).toBe('{"a":1}\n{"a":2}\n');
  });
});
