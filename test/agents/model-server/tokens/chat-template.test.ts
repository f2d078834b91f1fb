import { describe, expect, test } from "vitest";
import { CHATML, ChatTemplate } from "../../../../agents/model-server/tokens/chat-template.ts";
import { InputError } from "../../../../core/errors.ts";
import type { JsonObject } from "../../../../core/json.ts";
import { tinyTokenizer } from "./tiny-tokenizer.ts";

const tokenizer = tinyTokenizer();
const user = { role: "user", content: "Where?" } as const;

function chat(template: string, options: { kwargs?: JsonObject; rewrites?: "keep" } = {}): ChatTemplate {
  return new ChatTemplate({ tokenizer, name: "the template", template, ...options });
}

/** A ChatML template that gives each reply as `reply` says. */
function replying(reply: string, opening = ""): string {
  return (
    "{% for m in messages %}{% if m.role == 'assistant' %}{{ '<|im_start|>assistant\\n' }}" +
    `${reply}{{ '<|im_end|>\\n' }}{% else %}{{ '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>\\n' }}` +
    `{% endif %}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}${opening}{% endif %}`
  );
}

const DROPS_THINKING = "{{ m.content.split('</think>')[-1] if not loop.last else m.content }}";

test("ChatML is rendered, and what follows a reply begins with its end", () => {
  const chatMl = chat(CHATML);
  expect(chatMl.render([{ role: "system", content: "Rules" }, user])).toBe(
    "<|im_start|>system\nRules<|im_end|>\n<|im_start|>user\nWhere?<|im_end|>\n<|im_start|>assistant\n",
  );
  expect(chatMl.afterReply(user)).toBe(
    "<|im_end|>\n<|im_start|>user\nWhere?<|im_end|>\n<|im_start|>assistant\n",
  );
  expect(chatMl.endOfTurn).toBe(tokenizer.specialId("<|im_end|>"));
  expect(chatMl.stopTokenIds).toEqual([chatMl.endOfTurn]);
  expect(chatMl.rewriting).toBeUndefined();
});

test("a reply's end that is no special token is not looked for", () => {
  const plain = chat(
    "{% for m in messages %}{{ m.role + ': ' + m.content + '\\n' }}{% endfor %}{{ 'assistant: ' }}",
  );
  expect(plain.endOfTurn).toBeUndefined();
  expect(plain.afterReply(user)).toBe("\nuser: Where?\nassistant: ");
  expect(plain.stopTokenIds).toEqual([tokenizer.specialId("<|im_end|>")]);
});

test("a message may hold the very text that stands for replies", () => {
  const text = chat(CHATML).afterReply(user).split("Where?");
  expect(chat(CHATML).afterReply({ role: "user", content: "FORKGYMSENTINELREPLY" })).toBe(
    text.join("FORKGYMSENTINELREPLY"),
  );
});

describe("a template that rewrites earlier turns is refused with its name, and how", () => {
  test.each([
    ["drops thinking", replying(DROPS_THINKING), /drops or changes the thinking/],
    ["trims", replying("{{ m.content | trim }}"), /trims the white space/],
    ["numbers turns", replying("{{ m.content }}", "{{ messages|length }}"), /otherwise than the last one/],
    ["counts back", replying("{{ m.content }}{{ loop.revindex }}"), /otherwise than the last one/],
    [
      "opens replies with empty thinking",
      replying("{{ m.content }}", "{{ '<think>\\n\\n</think>\\n\\n' }}"),
      /otherwise/,
    ],
    [
      "moves the system message",
      "{% for m in messages if m.role != 'system' %}{{ '<|im_start|>' + m.role + '\\n' }}" +
        "{% if m.role == 'user' and loop.last and messages[0].role == 'system' %}{{ messages[0].content }}{% endif %}" +
        "{{ m.content + '<|im_end|>\\n' }}{% endfor %}{{ '<|im_start|>assistant\\n' }}",
      /otherwise than the last one/,
    ],
    ["leaves replies out", replying(""), /leaves earlier replies out/],
  ])("%s", (_, template, how) => {
    expect(() => chat(template)).toThrow(InputError);
    expect(() => chat(template)).toThrow(/^the template: /);
    expect(() => chat(template)).toThrow(how);
  });

  test("the message shows the place, and both remedies", () => {
    expect(() => chat(replying(DROPS_THINKING))).toThrow(/"[^"]*<think>.*" became "/);
    expect(() => chat(replying(DROPS_THINKING))).toThrow(/pass a `template`.*CHATML.*`rewrites: "keep"`/);
  });

  test("a switch of the template that helps is named, and helps", () => {
    const switched = replying(
      `{% if clear_thinking is defined and not clear_thinking %}{{ m.content }}{% else %}${DROPS_THINKING}{% endif %}`,
    );
    expect(() => chat(switched)).toThrow(/pass that/);
    expect(() => chat(switched)).toThrow(/`kwargs: \{"clear_thinking":false\}`/);
    expect(chat(switched, { kwargs: { clear_thinking: false } }).rewriting).toBeUndefined();
    expect(() => chat(switched, { kwargs: { clear_thinking: true } })).toThrow(InputError);
  });

  test("unless it is to go on with what was sampled", () => {
    const kept = chat(replying(DROPS_THINKING), { rewrites: "keep" });
    expect(kept.rewriting).toMatch(/thinking/);
    expect(kept.afterReply(user)).toBe(chat(CHATML).afterReply(user));
  });
});

describe("a template that cannot be used is refused with its name", () => {
  test.each([
    ["no Jinja", "{% for %}", /not a Jinja template/],
    ["raises", "{{ raise_exception('only tools') }}", /cannot render.*only tools/],
    ["asks for the day", `{{ strftime_now('%d %b') }}${CHATML}`, /cannot render/],
  ])("%s", (_, template, why) => {
    expect(() => chat(template)).toThrow(InputError);
    expect(() => chat(template)).toThrow(/^the template: /);
    expect(() => chat(template)).toThrow(why);
  });

  test("none at all", () => {
    expect(() => new ChatTemplate({ tokenizer })).toThrow(/pass `template`/);
  });
});

test("a template without a system role serves conversations without one", () => {
  const template = `{% if messages[0].role == 'system' %}{{ raise_exception('no system role') }}{% endif %}${CHATML}`;
  expect(chat(template).render([user])).toContain("Where?");
  expect(() => chat(template).render([{ role: "system", content: "Rules" }, user])).toThrow(/no system role/);
});

test("a template that would tell the day tells the one it has for servers without a clock, or what it is given", () => {
  const dated =
    "{% if not date_string is defined %}{% if strftime_now is defined %}{% set date_string = strftime_now('%d %b') %}" +
    `{% else %}{% set date_string = '26 Jul' %}{% endif %}{% endif %}{{ date_string }}${CHATML}`;
  expect(chat(dated).render([user])).toMatch(/^26 Jul</);
  expect(chat(dated, { kwargs: { date_string: "1 Jan" } }).render([user])).toMatch(/^1 Jan</);
});

test("the template comes from the tokenizer's configuration, and its special tokens with it", () => {
  const template = `{{ bos_token }}${CHATML}`;
  const own = tinyTokenizer({ chat_template: template, bos_token: "<|endoftext|>" });
  expect(new ChatTemplate({ tokenizer: own }).render([user])).toMatch(/^<\|endoftext\|><\|im_start\|>user/);
});
