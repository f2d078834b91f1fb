import { Template } from "@huggingface/jinja";
import { Tokenizer } from "@huggingface/tokenizers";
import fc from "fast-check";
import { expect, test } from "vitest";
import { SPECIAL_TOKENS, tinyTokenizer, tokenizerConfig, tokenizerJson } from "./tokenizer.ts";

const loaded = new Tokenizer(tokenizerJson(), tokenizerConfig());
const text = fc
  .array(
    fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.constantFrom(...Object.keys(SPECIAL_TOKENS), "<|im_", "\n\n 1"),
    ),
  )
  .map((parts) => parts.join(""));
const chat = fc.array(
  fc.record({
    role: fc.constantFrom("system" as const, "user" as const, "assistant" as const),
    content: fc.string({ unit: "grapheme" }),
  }),
);

test("Hugging Face's tokenizer loads tokenizer.json and gives the same ids and texts", () => {
  fc.assert(
    fc.property(text, (given) => {
      const ids = tinyTokenizer.encode(given);
      expect(loaded.encode(given, { add_special_tokens: false }).ids).toEqual(ids);
      if (ids.length === 0) return;
      expect(loaded.decode(ids, { skip_special_tokens: false })).toBe(tinyTokenizer.decode(ids));
      expect(tinyTokenizer.decode(ids)).toBe(given);
    }),
    { examples: [["valueOf"], ["__proto__"]] },
  );
});

test("any ids decode as Hugging Face's tokenizer decodes them, broken characters too", () => {
  const ids = fc.array(fc.nat(tinyTokenizer.vocabSize - 1), { minLength: 1 });
  fc.assert(
    fc.property(ids, (given) => {
      expect(tinyTokenizer.decode(given)).toBe(loaded.decode(given, { skip_special_tokens: false }));
    }),
  );
});

test("the chat template of the config renders what the server renders", () => {
  const template = new Template(tokenizerConfig().chat_template as string);
  fc.assert(
    fc.property(chat, fc.boolean(), (messages, open) => {
      const theirs = template.render({ messages, add_generation_prompt: open });
      expect(tinyTokenizer.render(messages, open)).toBe(theirs);
    }),
  );
});

test("messages are read back from the ids", () => {
  fc.assert(
    fc.property(chat, fc.boolean(), (messages, open) => {
      const ids = tinyTokenizer.encode(tinyTokenizer.render(messages, open));
      expect(tinyTokenizer.messages(ids)).toEqual(messages);
    }),
  );
});

test("what is no ChatML has no messages", () => {
  expect(tinyTokenizer.messages(tinyTokenizer.encode("plain text\n"))).toEqual([]);
});

test("special tokens can be left out", () => {
  expect(tinyTokenizer.decode([104, 105, tinyTokenizer.eosTokenId], true)).toBe("hi");
});
