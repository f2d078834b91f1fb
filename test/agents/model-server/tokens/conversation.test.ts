import fc from "fast-check";
import { expect, test } from "vitest";
import { CHATML, ChatTemplate } from "../../../../agents/model-server/tokens/chat-template.ts";
import { Conversation } from "../../../../agents/model-server/tokens/conversation.ts";
import { InputError } from "../../../../core/errors.ts";
import { tinyTokenizer } from "./tiny-tokenizer.ts";

const tokenizer = tinyTokenizer();
const chat = new ChatTemplate({ tokenizer, template: CHATML });
const END = chat.endOfTurn!;
const user = (content: string) => ({ role: "user", content }) as const;

/** Replies as a model samples them: any ids, so not what a tokenizer would make of their text; ended or cut. */
const reply = fc
  .tuple(fc.array(fc.nat(tokenizer.size - 6), { maxLength: 12 }), fc.boolean())
  .map(([ids, ends]) => (ends || ids.length === 0 ? [...ids, END] : ids));
const words = fc.string({
  unit: fc.constantFrom(..."the alp123`\n </>U", "é", "👩‍🚀", "<think>"),
  maxLength: 20,
});
const turns = fc.array(fc.tuple(reply, words), { minLength: 1, maxLength: 6 });
const logprobsFor = (ids: readonly number[]) => ids.map((id) => -id / 100);

test("the tokens of a turn begin with exactly those up to the turn before, reply included", () => {
  fc.assert(
    fc.property(words, turns, (first, rest) => {
      let conversation = Conversation.open(chat, chat.opening([user(first)]));
      for (const [ids, message] of rest) {
        const before = [...conversation.tokenIds(), ...ids];
        conversation = conversation.answer(ids, logprobsFor(ids)).ask(chat.between(user(message)));
        const now = conversation.tokenIds();
        expect(now.slice(0, before.length)).toEqual(before);
        expect(now).toHaveLength(conversation.length);
        expect(now.slice(before.length)).toEqual(conversation.promptDelta);
      }
    }),
  );
});

test("mask and log-probabilities line up with what was sampled", () => {
  fc.assert(
    fc.property(turns, (rest) => {
      let conversation = Conversation.open(chat, chat.opening([user("a")]));
      const sampled: number[] = [];
      for (const [ids, message] of rest) {
        conversation = conversation.answer(ids, logprobsFor(ids)).ask(chat.between(user(message)));
        sampled.push(...ids);
      }
      const [ids, mask, logprobs] = [conversation.tokenIds(), conversation.mask(), conversation.logprobs()];
      expect(mask).toHaveLength(ids.length);
      expect(ids.filter((_, at) => mask[at])).toEqual(sampled);
      expect(logprobs).toEqual(ids.map((id, at) => (mask[at] ? -id / 100 : 0)));
    }),
  );
});

test("where replies are what the tokenizer would make, the tokens are those of the template's own rendering", () => {
  fc.assert(
    fc.property(words, fc.array(fc.tuple(words, words, fc.boolean()), { maxLength: 4 }), (first, rest) => {
      const messages: { role: "user" | "assistant"; content: string }[] = [user(first)];
      let conversation = Conversation.open(chat, chat.opening(messages));
      for (const [said, message, ends] of rest) {
        const ids = [...tokenizer.encode(said), ...(ends || said === "" ? [END] : [])];
        conversation = conversation.answer(ids, logprobsFor(ids)).ask(chat.between(user(message)));
        messages.push({ role: "assistant", content: said }, user(message));
      }
      expect(tokenizer.decode(conversation.tokenIds())).toBe(
        tokenizer.decode(tokenizer.encode(chat.render(messages))),
      );
    }),
  );
});

test("a reply that ended itself is not ended twice, one that was cut is ended", () => {
  const open = Conversation.open(chat, chat.opening([user("a")]));
  const [t] = tokenizer.encode("t");
  const ended = open.answer([t!, END], [-1, -1]).ask(chat.between(user("b")));
  const cut = open.answer([t!], [-1]).ask(chat.between(user("b")));
  expect(ended.tokenIds()).toEqual(cut.tokenIds());
  expect(ended.mask()).not.toEqual(cut.mask());
});

test("forks share what came before and do not see each other", () => {
  const before = Conversation.open(chat, chat.opening([user("a")]));
  const [one, other] = [before.answer([1, END], [-1, -1]), before.answer([2, END], [-2, -2])];
  expect(before.tokenIds()).toEqual(one.tokenIds().slice(0, -2));
  expect(other.tokenIds().slice(-2)).toEqual([2, END]);
});

test("a conversation is put together again from what was recorded", () => {
  fc.assert(
    fc.property(turns, (rest) => {
      let conversation = Conversation.open(chat, chat.opening([user("a")]));
      let resumed = Conversation.open(chat, conversation.promptDelta);
      for (const [ids, message] of rest) {
        conversation = conversation.answer(ids, logprobsFor(ids)).ask(chat.between(user(message)));
        resumed = resumed.answer(ids, logprobsFor(ids)).askRecorded(conversation.promptDelta);
      }
      expect(resumed.tokenIds()).toEqual(conversation.tokenIds());
      expect(resumed.mask()).toEqual(conversation.mask());
    }),
  );
});

test("turns alternate, and log-probabilities are one each", () => {
  const open = Conversation.open(chat, chat.opening([user("a")]));
  expect(() => open.ask(chat.between(user("b")))).toThrow(InputError);
  expect(() => open.answer([1], [-1]).answer([2], [-1])).toThrow(InputError);
  expect(() => open.answer([1, 2], [-1])).toThrow(/2 tokens have 1/);
});
