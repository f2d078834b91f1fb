import type { ServerResponse } from "node:http";
import { Template } from "@huggingface/jinja";
import { describe, expect, onTestFinished, test } from "vitest";
import { modelPolicy } from "../../../../agents/model-server/policy.ts";
import type { Chat } from "../../../../agents/model-server/tokens/chat.ts";
import { CHATML, ChatTemplate } from "../../../../agents/model-server/tokens/chat-template.ts";
import { type ServerChatOptions, serverChat } from "../../../../agents/model-server/tokens/server-chat.ts";
import { loadTokenizer } from "../../../../agents/model-server/tokens/tokenizer.ts";
import { vllmServer } from "../../../../agents/model-server/vllm.ts";
import type { Message } from "../../../../core/dialogue.ts";
import { InputError } from "../../../../core/errors.ts";
import { rollout } from "../../../../core/rollout/engine.ts";
import { patr } from "../../../../core/rollout/strategies/patr.ts";
import { rllmDialogue } from "../../../../envs/frozen-lake/dialogue.ts";
import { frozenLakeKit } from "../../../../envs/frozen-lake/kit.ts";
import type { LakeView } from "../../../../envs/frozen-lake/rllm.ts";
import type { RllmAction, RllmLakeData } from "../../../../envs/frozen-lake/rllm-rules.ts";
import { randomReplies, startModelServer, tokenizerConfig, tokenizerJson } from "../../../serving/index.ts";
import { type Asked, answering, json, status } from "../answering.ts";
import { tinyTokenizer } from "./tiny-tokenizer.ts";

type TokenRequest = {
  messages?: Message[];
  prompt?: string;
  tokens?: number[];
  chat_template_kwargs?: object;
};

async function opened(options: Omit<ServerChatOptions, "model">) {
  const chat = await serverChat({ model: "m", name: "the template", ...options });
  onTestFinished(() => chat.close());
  return chat;
}

/** A server whose model has this template; its tokens' texts, special ones too, are what the tokenizer says. */
async function serving(template: string) {
  const tokenizer = tinyTokenizer();
  const whole = new Map(
    [...Array(tokenizer.size).keys()].map((id) => [id, specialText(id) ?? tokenizer.decode([id])]),
  );
  function specialText(id: number): string | undefined {
    return ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<think>", "</think>"].find(
      (text) => tokenizer.specialId(text) === id,
    );
  }
  const answer = (response: ServerResponse, { path, body }: Asked) => {
    const { messages, prompt, tokens, chat_template_kwargs: kwargs = {} } = body as TokenRequest;
    if (path === "/detokenize")
      return json({ prompt: tokens!.map((id) => whole.get(id)).join("") })(response, { path, body } as Asked);
    try {
      const text =
        messages === undefined
          ? prompt!
          : new Template(template).render({ ...kwargs, messages, add_generation_prompt: true });
      return json({ tokens: tokenizer.encode(text) })(response, { path, body } as Asked);
    } catch (error) {
      return status(400, JSON.stringify({ error: { message: (error as Error).message } }))(response, {
        path,
        body,
      } as Asked);
    }
  };
  return answering(answer);
}

const reply = (form: string) =>
  `{% for m in messages %}{{ '<|im_start|>' + m.role + '\n' }}{% if m.role == 'assistant' %}${form}{% else %}{{ m.content }}{% endif %}{{ '<|im_end|>\n' }}{% endfor %}{{ '<|im_start|>assistant\n' }}`;

describe("a server's own template", () => {
  test("gives the tokens that the model's files give", async () => {
    const { url } = await serving(CHATML);
    const theirs = await opened({ servers: [{ url }] });
    const ours = new ChatTemplate({ tokenizer: tinyTokenizer(), template: CHATML });
    expect(theirs.endOfTurn).toBe(ours.endOfTurn);
    expect(theirs.stopTokenIds).toEqual([ours.endOfTurn]);
    for (const content of ["Where?", "  the\n\n", "FORKGYMSENTINELREPLY", "a <|im_end|> b", "é👩‍🚀"]) {
      const user: Message = { role: "user", content };
      expect(await theirs.opening([user])).toEqual(ours.opening([user]));
      expect(await theirs.between(user)).toEqual(ours.between(user));
    }
    const said = tinyTokenizer().encode("Up the");
    expect(await theirs.textOf([...said, ours.endOfTurn!])).toBe("Up the");
    expect(await theirs.textOf([ours.endOfTurn!])).toBe("");
  });

  test("grows the same PATR tree, token for token", async () => {
    const tree = async (chatOf: (url: string) => Promise<Chat> | Chat) => {
      const model = await startModelServer({ policy: randomReplies(["```Up```", "```Down```", "nothing"]) });
      const server = vllmServer({ url: model.url, model: "forkgym/tiny" });
      onTestFinished(async () => {
        await server.close();
        await model.close();
      });
      const policy = modelPolicy<RllmLakeData, LakeView, RllmAction>({
        server,
        dialogue: rllmDialogue,
        chat: await chatOf(model.url),
        sampling: { maxTokens: 64 },
      });
      const tasks = frozenLakeKit.sets.find(({ name }) => name === "frozen-lake/rllm-test")!.make();
      const { nodes, problems } = await rollout(tasks.at(0), {
        env: frozenLakeKit.make,
        policy,
        scorer: frozenLakeKit.progress!,
        strategy: patr({ every: 3 }),
        seed: 7,
      });
      expect(problems).toEqual([]);
      return nodes.map(({ choice, turn }) => {
        const { endpoint: _, ...sample } = (choice?.sample ?? {}) as Record<string, unknown>;
        return [turn, sample];
      });
    };
    const ours = await tree(() => {
      const files = { tokenizerJson: tokenizerJson(), tokenizerConfig: tokenizerConfig() };
      return new ChatTemplate({ tokenizer: loadTokenizer(files), name: "tiny" });
    });
    const theirs = await tree((url) => opened({ servers: [{ url }] }));
    expect(ours.length).toBeGreaterThan(10);
    expect(theirs).toEqual(ours);
  });

  test("is told what it is to be told", async () => {
    const { url } = await serving(`{{ shout if shout is defined else '' }}${CHATML}`);
    const user: Message = { role: "user", content: "x" };
    const [loud, quiet] = [
      await opened({ servers: [{ url }], kwargs: { shout: "HEY" } }),
      await opened({ servers: [{ url }] }),
    ];
    const prefix = tinyTokenizer().encode("HEY");
    expect(await loud.opening([user])).toEqual([...prefix, ...(await quiet.opening([user]))]);
  });

  test("without a token that ends a turn has none to stop at", async () => {
    const plain =
      "{% for m in messages %}{{ m.role + ': ' + m.content + '\n' }}{% endfor %}{{ 'assistant: ' }}";
    const { url } = await serving(plain);
    expect(await opened({ servers: [{ url }] })).toMatchObject({ endOfTurn: undefined, stopTokenIds: [] });
  });

  test.each([
    [
      "drops thinking",
      "{{ m.content.split('</think>')[-1] }}",
      /^the template: it drops or changes the thinking.*became/,
    ],
    ["trims", "{{ m.content.strip() }}", /^the template: .*white space/],
    ["leaves replies out", "", /it leaves earlier replies out/],
  ])("that %s is refused by name", async (_, form, how) => {
    const { url } = await serving(reply(form));
    const failing = serverChat({ servers: [{ url }], model: "m", name: "the template" });
    await expect(failing).rejects.toThrow(InputError);
    await expect(failing).rejects.toThrow(how);
  });

  test("that rewrites serves one who keeps what was sampled", async () => {
    const { url } = await serving(reply("{{ m.content.split('</think>')[-1] }}"));
    expect((await opened({ servers: [{ url }], rewrites: "keep" })).endOfTurn).toBeDefined();
  });

  test("without a system role serves conversations without one", async () => {
    const { url } = await serving(
      `{% if messages[0].role == 'system' %}{{ raise_exception('no system role') }}{% endif %}${CHATML}`,
    );
    const chat = await opened({ servers: [{ url }] });
    await expect(chat.opening([{ role: "system", content: "Rules" }])).rejects.toThrow(
      /^the template: .*no system role/,
    );
  });
});

describe("servers", () => {
  test("without the route are refused, and what to do is said", async () => {
    const { url } = await answering(status(404, '{"detail":"Not Found"}'));
    const failing = serverChat({ servers: [{ url }], model: "m" });
    await expect(failing).rejects.toThrow(InputError);
    await expect(failing).rejects.toThrow(/chat template of m on its server: .*only vLLM has this route/);
  });

  test("that cannot be reached are passed over", async () => {
    const { url } = await serving(CHATML);
    const chat = await opened({ servers: [{ url: "http://127.0.0.1:9" }, { url }] });
    expect(chat.endOfTurn).toBeDefined();
    await expect(serverChat({ servers: [{ url: "http://127.0.0.1:9" }], model: "m" })).rejects.toMatchObject({
      fault: "unreachable",
    });
    await expect(serverChat({ servers: [], model: "m" })).rejects.toThrow(/name at least one/);
  });

  test("are not waited for once the branch is aborted", async () => {
    const { url } = await serving(CHATML);
    const chat = await opened({ servers: [{ url }] });
    const reason = new Error("enough");
    await expect(chat.opening([], AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});
