import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Capture, captured } from "../../../core/sandbox/captured.ts";
import type { Captured } from "../../../core/sandbox/sandbox.ts";

function capture(limit: number, ...chunks: readonly (string | Uint8Array)[]): Captured {
  const kept = new Capture(limit);
  for (const chunk of chunks) kept.add(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
  return kept.result();
}

/** The definition: the first half and the last half of `limit`, the odd byte to the first. */
function cut(limit: number, whole: Uint8Array): { bytes: number[]; omittedBytes: number } {
  if (whole.length <= limit) return { bytes: [...whole], omittedBytes: 0 };
  const [head, tail] = [Math.ceil(limit / 2), Math.floor(limit / 2)];
  const bytes = [...whole.slice(0, head), ...whole.slice(whole.length - tail)];
  return { bytes, omittedBytes: whole.length - limit };
}

describe("captured", () => {
  test("text is UTF-8, and bad bytes are replaced", () => {
    expect(captured(Buffer.from([0x61, 0xff, 0xc3, 0xa9, 0])).text).toBe("a\ufffdé\0");
    expect(captured(new Uint8Array()).text).toBe("");
  });

  test("what was left out is told on a line of its own, and is not among the bytes", () => {
    const { text, bytes, omittedBytes } = captured(Buffer.from("head"), Buffer.from("tail"), 1234);
    expect(text).toBe("head\n[... 1234 bytes left out ...]\ntail");
    expect(Buffer.from(bytes).toString()).toBe("headtail");
    expect(omittedBytes).toBe(1234);
  });

  test("a character that falls between head and tail is whole if nothing was left out", () => {
    const [head, tail] = [Buffer.from([0x61, 0xc3]), Buffer.from([0xa9])];
    expect(captured(head, tail).text).toBe("aé");
    expect(captured(head, tail, 1).text).toBe("a\ufffd\n[... 1 bytes left out ...]\n\ufffd");
  });
});

describe("Capture", () => {
  test("any chunking gives the same head, tail and count as the definition", () => {
    const input = fc.record({
      limit: fc.nat(40),
      chunks: fc.array(fc.uint8Array({ maxLength: 30 }), { maxLength: 12 }),
    });
    fc.assert(
      fc.property(input, ({ limit, chunks }) => {
        const { bytes, omittedBytes } = capture(limit, ...chunks);
        expect({ bytes: [...bytes], omittedBytes }).toEqual(cut(limit, Buffer.concat(chunks)));
      }),
      { numRuns: 1000 },
    );
  });

  test("the head gets the odd byte", () => {
    expect(capture(5, "abcdefghij").text).toBe("abc\n[... 5 bytes left out ...]\nij");
    expect(capture(1, "abc").text).toBe("a\n[... 2 bytes left out ...]\n");
  });

  test("nothing is kept at a limit of 0, and nothing is left out of nothing", () => {
    expect(capture(0, "abc", "d")).toMatchObject({ bytes: Buffer.of(), omittedBytes: 4 });
    expect(capture(0)).toMatchObject({ text: "", omittedBytes: 0 });
  });

  test("text is decoded as a whole, wherever a chunk ends", () => {
    const bytes = Buffer.from("a😀é");
    expect(capture(100, ...[...bytes].map((byte) => Uint8Array.of(byte))).text).toBe("a😀é");
  });

  test("a chunk belongs to its giver, who may write to it again", () => {
    const kept = new Capture(8);
    const chunk = Buffer.from("abcdef");
    kept.add(chunk);
    kept.add(chunk);
    chunk.fill("x");
    expect(Buffer.from(kept.result().bytes).toString()).toBe("abcdcdef");
  });

  test("a result is not changed by what comes later", () => {
    const kept = new Capture(4);
    kept.add(Buffer.from("abcd"));
    const early = kept.result();
    kept.add(Buffer.from("efgh"));
    expect(early).toMatchObject({ text: "abcd", omittedBytes: 0 });
    expect(kept.result().text).toBe("ab\n[... 4 bytes left out ...]\ngh");
  });

  test("many tiny chunks come out right", () => {
    const kept = new Capture(3000);
    for (let index = 0; index < 20_000; index++) kept.add(Buffer.of(index % 251));
    const { bytes, omittedBytes } = kept.result();
    const whole = Uint8Array.from({ length: 20_000 }, (_, index) => index % 251);
    expect({ bytes: [...bytes], omittedBytes }).toEqual(cut(3000, whole));
  });

  test("200 MB are taken in flat memory", () => {
    const kept = new Capture(1_048_576);
    const chunk = new Uint8Array(65_536);
    const before = process.memoryUsage().rss;
    for (let index = 0; index < 3200; index++) kept.add(chunk);
    expect(kept.result().omittedBytes).toBe(3200 * 65_536 - 1_048_576);
    expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000);
  });
});
