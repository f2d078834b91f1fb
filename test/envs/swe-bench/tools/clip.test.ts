import fc from "fast-check";
import { expect, test } from "vitest";
import { clipped, headOf, tailOf } from "../../../../envs/swe-bench/tools/clip.ts";

test("an answer of 10,000 characters stands, one more is cut and marked", () => {
  expect(clipped("a".repeat(10_000))).toBe("a".repeat(10_000));
  const cut = clipped("a".repeat(10_001));
  expect(cut.startsWith(`${"a".repeat(10_000)}<response clipped>`)).toBe(true);
  expect(cut.length).toBeLessThan(10_300);
});

test("heads and tails are ends of the text, of the length asked for or one less, and cut no character", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("a", "\u00e9", "\u{1f600}"), { maxLength: 30 }).map((parts) => parts.join("")),
      fc.nat({ max: 40 }),
      (text, limit) => {
        const [head, tail] = [headOf(text, limit), tailOf(text, limit)];
        expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
        const least = Math.min(limit - 1, text.length);
        expect(Math.min(head.length, tail.length)).toBeGreaterThanOrEqual(least);
        expect(Math.max(head.length, tail.length)).toBeLessThanOrEqual(limit);
        for (const part of [head, tail]) expect(Buffer.from(part).toString()).toBe(part);
      },
    ),
  );
});
