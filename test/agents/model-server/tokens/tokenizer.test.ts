import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { loadTokenizer } from "../../../../agents/model-server/tokens/tokenizer.ts";
import { InputError } from "../../../../core/errors.ts";
import { tinyTokenizer } from "./tiny-tokenizer.ts";

const tokenizer = tinyTokenizer();

test("any text comes back from its tokens, without the special ones", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      const ids = tokenizer.encode(text);
      expect(tokenizer.decode(ids)).toBe(text);
      expect(tokenizer.decode([...ids, tokenizer.specialId("<|im_end|>")!])).toBe(text);
    }),
  );
});

test("merges and special tokens are what the files say", () => {
  expect(tokenizer.encode("the")).toHaveLength(1);
  expect(tokenizer.encode("<|im_end|>the")).toEqual([
    tokenizer.specialId("<|im_end|>"),
    ...tokenizer.encode("the"),
  ]);
  expect(tokenizer.specialId("the")).toBeUndefined();
  expect(tokenizer.isSpecial(tokenizer.specialId("<think>")!)).toBe(true);
  expect(tokenizer.isSpecial(0)).toBe(false);
  expect(tokenizer.size).toBe(256 + 23 + 5);
  expect(tokenizer.specialTokens).toEqual({ eos_token: "<|im_end|>", pad_token: "<|endoftext|>" });
});

test("files that are not there, or not a tokenizer's, are refused by name", () => {
  const load = (tokenizerJson: string | object) => () =>
    loadTokenizer({ tokenizerJson, tokenizerConfig: {} });
  expect(load("/nowhere/tokenizer.json")).toThrow(/cannot read `tokenizerJson` \/nowhere/);
  expect(load({})).toThrow(InputError);
  expect(load({ model: { type: "None" } })).toThrow(/not a tokenizer/);
  const file = join(mkdtempSync(join(tmpdir(), "forkgym-")), "tokenizer.json");
  writeFileSync(file, "{");
  expect(load(file)).toThrow(InputError);
});
