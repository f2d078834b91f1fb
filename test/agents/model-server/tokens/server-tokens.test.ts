import { expect, onTestFinished, test } from "vitest";
import { jsonClient } from "../../../../agents/model-server/http.ts";
import { ChatTemplate } from "../../../../agents/model-server/tokens/chat-template.ts";
import { compareTokens } from "../../../../agents/model-server/tokens/server-tokens.ts";
import { loadTokenizer } from "../../../../agents/model-server/tokens/tokenizer.ts";
import { tokenizerConfig, tokenizerJson } from "../../../serving/index.ts";
import { answering, json } from "../answering.ts";

const MESSAGES = [{ role: "user" as const, content: "hi" }];
const tokenizer = loadTokenizer({ tokenizerJson: tokenizerJson(), tokenizerConfig: tokenizerConfig() });
const chat = new ChatTemplate({ tokenizer });
const OURS = tokenizer.encode(chat.render(MESSAGES));

/** What comes of it if the server tokenises like that. */
async function compared(asText: unknown, asMessages: unknown = asText) {
  const { url, asked } = await answering((response, one) =>
    json("prompt" in (one.body as object) ? asText : asMessages)(response, one),
  );
  const client = jsonClient("test", { url });
  onTestFinished(() => client.close());
  return { asked, ...(await compareTokens(client, "m", chat, MESSAGES, { a: 1 })) };
}

test("the same ids are the same, and the template is told what it is told here", async () => {
  const { asked, tokenizer, template } = await compared({ tokens: OURS });
  expect([tokenizer, template]).toEqual(["same", "same"]);
  expect(asked.map(({ body }) => body)).toEqual([
    { model: "m", prompt: chat.render(MESSAGES), add_special_tokens: false },
    { model: "m", messages: MESSAGES, add_generation_prompt: true, chat_template_kwargs: { a: 1 } },
  ]);
});

test.each([
  ["another id", [...OURS.slice(0, 2), 1, ...OURS.slice(3)], `at place 2 it has 1 and we have ${OURS[2]}`],
  ["fewer", OURS.slice(0, -1), `at place ${OURS.length - 1} it has nothing and we have ${OURS.at(-1)}`],
  ["more", [...OURS, 5], `at place ${OURS.length} it has 5 and we have nothing`],
])("%s: where they differ", async (_, tokens, place) => {
  const difference = `the server has ${tokens.length} tokens and we have ${OURS.length}; ${place}`;
  expect(await compared({ tokens })).toMatchObject({ tokenizer: { difference }, template: "unknown" });
  expect(await compared({ tokens: OURS }, { tokens })).toMatchObject({
    tokenizer: "same",
    template: { difference },
  });
});

test("a server that says nothing of the kind is unknown", async () => {
  expect(await compared({ error: "no" })).toMatchObject({ tokenizer: "unknown", template: "unknown" });
  expect(await compared({ tokens: OURS }, {})).toMatchObject({ tokenizer: "same", template: "unknown" });
});
