import fc from "fast-check";
import { expect, test } from "vitest";
import { decode, encode } from "../../../../../core/sandbox/wasmer/gnu/text.ts";

test("bytes come back from text as they were, UTF-8 or not", () => {
  const odd = fc.uint8Array({ maxLength: 40 });
  const mixed = fc.tuple(fc.string({ unit: "grapheme" }), odd).map(([text, bytes]) => {
    return new Uint8Array(Buffer.concat([Buffer.from(text), bytes, Buffer.from(text)]));
  });
  fc.assert(
    fc.property(fc.oneof(odd, mixed), (bytes) => {
      expect([...encode(decode(bytes))]).toEqual([...bytes]);
    }),
  );
});

test("UTF-8 is text, and a byte that is none stands alone", () => {
  expect(decode(Buffer.from("é€😀"))).toBe("é€😀");
  expect(decode(Uint8Array.of(0x61, 0xff, 0xc3, 0xa9, 0xc3))).toBe("a\udcffé\udcc3");
});
