import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { JsonlLog, readJsonl } from "../../../core/run/jsonl.ts";

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
