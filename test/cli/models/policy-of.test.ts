import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Command, CommanderError } from "commander";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { SampleRecord } from "../../../agents/model-server/sample-record.ts";
import { kitOf } from "../../../cli/kits.ts";
import { addModelOptions, givenOf, type ModelOptions } from "../../../cli/models/options.ts";
import { type NamedPolicy, policyOf } from "../../../cli/policies.ts";
import { InputError } from "../../../core/errors.ts";
import { rollout } from "../../../core/rollout/engine.ts";
import { independent } from "../../../core/rollout/strategies/independent.ts";
import type { Tree } from "../../../core/rollout/tree.ts";
import { answering, json, status } from "../../agents/model-server/answering.ts";
import { tokenizerConfig, tokenizerJson } from "../../serving/index.ts";
import { folderWithTokenizer, servePlayer } from "./tiny-model.ts";

const kit = kitOf("frozen-lake");
const set = kit.sets.find(({ name }) => name === "frozen-lake/rllm-test")!.make();

afterEach(() => {
  vi.unstubAllEnvs();
});

function parsed(args: readonly string[]): ModelOptions & { readonly given: string | undefined } {
  const command = new Command().exitOverride().configureOutput({ writeErr: () => {} });
  addModelOptions(command).parse(args, { from: "user" });
  return { ...command.opts<ModelOptions>(), given: givenOf(command) };
}

/** The policy of `--policy <policy> <args>`, and what was noted. */
async function named(
  policy: string,
  args: readonly string[],
  env = kit,
): Promise<NamedPolicy & { notes: string[] }> {
  const notes: string[] = [];
  const found = await policyOf(env, { policy, ...parsed(args) }, (line) => notes.push(line));
  onTestFinished(() => found.close?.());
  return { ...found, notes };
}

const at = (url: string, tokenizer?: string, ...more: string[]) => [
  ...["--url", url, "--model", "forkgym/tiny", "--max-tokens", "64"],
  ...(tokenizer === undefined ? [] : ["--tokenizer", tokenizer]),
  ...more,
];

function play({ policy }: NamedPolicy): Promise<Tree<unknown, unknown, unknown>> {
  return rollout(set.at(0), { env: kit.make, policy, strategy: independent({ n: 2 }), seed: 3 });
}

const samplesOf = ({ nodes }: Tree<unknown, unknown, unknown>) =>
  nodes.slice(1).map(({ choice }) => choice!.sample as unknown as SampleRecord);

describe("the routes", () => {
  test.each(["vllm", "vllm-generate", "sglang"])("%s plays token for token", async (route) => {
    const { url } = await servePlayer({ logprobsMode: "processed_logprobs" });
    const folder = await folderWithTokenizer();
    const player = await named(
      route,
      at(url, folder, "--temperature", "0.7", "--top-k", "20", "--retries", "2"),
    );
    expect(player.notes).toEqual([]);
    expect(player.digest).toEqual({
      route,
      model: "forkgym/tiny",
      tokenExact: true,
      sampling: { maxTokens: 64, temperature: 0.7, topP: 1, topK: 20, topLogprobs: 0 },
      retries: 2,
      contextTokens: 32_768,
      tokenizer: expect.stringMatching(/^[0-9a-f]{64}$/),
      template: { sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    const tree = await play(player);
    expect([tree.policy, tree.problems]).toEqual([`${route} forkgym/tiny`, []]);
    for (const sample of samplesOf(tree)) expect(sample.tokenIds).toHaveLength(sample.logprobs!.length);
    expect(player.live!.summary()).toContain(
      `${tree.budget.turns} samples, ${tree.budget.generatedTokens} tokens`,
    );
  });

  test("--context-tokens bounds a branch where the server would not", async () => {
    const { url } = await servePlayer();
    const player = await named("vllm", at(url, await folderWithTokenizer(), "--context-tokens", "2500"));
    expect(player.digest).toMatchObject({ contextTokens: 2500 });
    const tree = await play(player);
    expect(tree.leaves.map(({ end }) => end)).toContain("context-limit");
    expect(tree.problems).toEqual([]);
    await expect(named("openai", at(url, undefined, "--context-tokens", "2500"))).rejects.toThrow(
      /^--context-tokens: /,
    );
  });

  test("--tokenizer server plays the same without the model's files", async () => {
    const { url } = await servePlayer();
    const [files, asked] = [
      await named("vllm", at(url, await folderWithTokenizer())),
      await named("vllm", at(url, "server")),
    ];
    expect(asked.notes).toEqual([]);
    expect(asked.digest).toMatchObject({
      tokenizer: "server",
      probe: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    const ids = async (player: NamedPolicy) =>
      samplesOf(await play(player)).map(({ promptDelta, tokenIds }) => [promptDelta, tokenIds]);
    expect(await ids(asked)).toEqual(await ids(files));
  });

  test.each([
    [["--chat-template", "chatml"], /^--chat-template: with --tokenizer server/],
    [["--top-logprobs", "5"], /^--top-logprobs: it needs --tokenizer with a folder/],
  ])("--tokenizer server does not take %s", async (more, message) => {
    const { url } = await servePlayer();
    await expect(named("vllm", at(url, "server", ...more))).rejects.toThrow(message);
  });

  test("openai takes an entropy with a tokenizer, and leaves out what the server refuses", async () => {
    const { url, asked } = await answering((response, { path }) =>
      json(
        path === "/v1/models"
          ? { data: [] }
          : {
              choices: [{ message: { content: "x" }, finish_reason: "stop" }],
              usage: { prompt_tokens: 1, completion_tokens: 1 },
            },
      )(response, asked[0]!),
    );
    const folder = await folderWithTokenizer();
    const player = await named("openai", at(url, folder, "--top-logprobs", "5", "--omit", "top_k,seed"));
    await play(player);
    const body = asked.find(({ path }) => path === "/v1/chat/completions")!.body as object;
    expect(body).not.toHaveProperty("top_k");
    expect(body).not.toHaveProperty("seed");
    expect(body).toMatchObject({ top_logprobs: 5, max_tokens: 64 });
    expect(player.digest).toMatchObject({ omit: ["top_k", "seed"], tokenizer: expect.any(String) });
  });

  test("openai without max_tokens sends the bound that reasoning models take", async () => {
    const { url, asked } = await answering((response, one) =>
      json({ data: [], choices: [{ message: { content: "x" }, finish_reason: "stop" }] })(response, one),
    );
    await play(await named("openai", at(url, undefined, "--omit", "max_tokens,top_k")));
    const body = asked.find(({ path }) => path === "/v1/chat/completions")!.body as object;
    expect(body).not.toHaveProperty("max_tokens");
    expect(body).toMatchObject({ max_completion_tokens: 64 });
  });
});

test("several servers are a pool of one name, and all of them are asked", async () => {
  const [one, other] = [await servePlayer(), await servePlayer()];
  const player = await named(
    "vllm",
    at(`${one.url},${other.url}`, await folderWithTokenizer(), "--concurrency", "1"),
  );
  const tree = await play(player);
  expect([tree.policy, tree.problems]).toEqual(["vllm forkgym/tiny", []]);
  expect(new Set(samplesOf(tree).map(({ endpoint }) => endpoint))).toEqual(new Set([one.url, other.url]));
  expect(player.live!.words()).toMatch(/, 127\.0\.0\.1:\d+ 0\+0, 127\.0\.0\.1:\d+ 0\+0$/);
});

test("SWE-bench is played in the words of its scaffold", async () => {
  const { url, asked } = await answering((response, one) => json({ data: [] })(response, one));
  const task = { id: "t", data: { problemStatement: "it leaks" } };
  const node = { turn: 0, observation: { text: "", turnsLeft: 9 } };
  for (const [scaffold, word] of [
    ["mini", "<pr_description>"],
    ["r2egym", "file_editor"],
  ] as const) {
    const swe = kitOf("swe-bench").configure!({ scaffold });
    const { policy } = await named("openai", at(url), swe);
    const turn = { task, node, branch: "0", rng: { next: () => 0.5 }, signal: new AbortController().signal };
    await expect(policy.act(turn as never)).rejects.toThrow("expected `choices` to be a list");
    expect(JSON.stringify(asked.at(-1)!.body)).toContain(word);
  }
});

describe("asked before a run begins, so that nothing is spent on a mistake", () => {
  test("a server that wants a key gets the one in the environment", async () => {
    const { url } = await answering((response, one) =>
      (one.headers.authorization === "Bearer sesame" ? json({ data: [] }) : status(401, "who?"))(
        response,
        one,
      ),
    );
    await expect(named("openai", at(url))).rejects.toThrow(
      "put the key into the environment variable FORKGYM_API_KEY",
    );
    vi.stubEnv("FORKGYM_API_KEY", "sesame");
    const { digest, notes } = await named("openai", at(url));
    expect(JSON.stringify([digest, notes])).not.toContain("sesame");
  });

  test("the tokenizer of another model is refused", async () => {
    const { url } = await servePlayer();
    const folder = await folderWithTokenizer();
    const other = tokenizerJson() as { model: { vocab: Record<string, number> } };
    const { a, b } = other.model.vocab;
    Object.assign(other.model.vocab, { a: b, b: a });
    await writeFile(join(folder, "tokenizer.json"), JSON.stringify(other));
    await expect(named("vllm", at(url, folder))).rejects.toThrow(
      /^--tokenizer: it is not that of http.*; at place \d+ it has 97 and we have 98$/,
    );
  });

  test("another template than the server's is noted, unless it was chosen", async () => {
    const { url } = await servePlayer();
    const own = String(tokenizerConfig().chat_template).replace("'<|im_end|>' + '\\n'", "'<|im_end|>'");
    const folder = await folderWithTokenizer({ ...tokenizerConfig(), chat_template: own });
    const other = await named("vllm", at(url, folder));
    expect(other.notes).toEqual([
      expect.stringMatching(/^http.* has another chat template than the tokenizer's folder/),
    ]);
    await writeFile(join(folder, "own.jinja"), own);
    const chosen = await named("vllm", at(url, folder, "--chat-template", join(folder, "own.jinja")));
    expect(chosen.notes).toEqual([]);
    expect(chosen.digest).toEqual(other.digest);
    await expect(named("vllm", at(url, folder, "--chat-template", "chatml2"))).rejects.toThrow(
      "cannot read chatml2",
    );
  });

  test("a template that rewrites earlier turns is refused in the words of the command, unless kept", async () => {
    const { url } = await servePlayer();
    const rewriting =
      "{% for m in messages %}{{ '<|im_start|>' + m.role + '\\n' }}" +
      "{% if m.role == 'assistant' and not loop.last and not raw %}{{ m.content | trim }}{% else %}{{ m.content }}" +
      "{% endif %}{{ '<|im_end|>\\n' }}{% endfor %}{{ '<|im_start|>assistant\\n' }}";
    const folder = await folderWithTokenizer({ ...tokenizerConfig(), chat_template: undefined });
    await expect(named("vllm", at(url, folder))).rejects.toThrow(/^--tokenizer: .* has no chat template/);
    await writeFile(join(folder, "chat_template.jinja"), rewriting);
    await expect(named("vllm", at(url, folder))).rejects.toThrow(
      /^chat template of forkgym\/tiny: it trims .* --chat-option name=value, --chat-template chatml, --keep-rewrites$/s,
    );
    const kept = await named("vllm", at(url, folder, "--keep-rewrites"));
    expect(kept.digest).toMatchObject({ template: { rewrites: "keep" } });
    const told = await named("vllm", at(url, folder, "--chat-option", "raw=true", "--chat-option", "n=3"));
    expect(told.digest).toMatchObject({ template: { options: { raw: true, n: 3 } } });
    const chatml = await named("vllm", at(url, folder, "--chat-template", "chatml"));
    expect(chatml.notes).toEqual([]);
  });

  describe("log-probabilities before temperature", () => {
    const warm = (url: string, folder: string, ...more: string[]) =>
      at(url, folder, "--temperature", "0.7", ...more);

    test.each(["vllm", "vllm-generate"])("%s: stop a run at another than 1", async (route) => {
      const { url } = await servePlayer();
      const refused = named(route, warm(url, await folderWithTokenizer()));
      await expect(refused).rejects.toThrow(InputError);
      await expect(refused).rejects.toThrow(
        `--temperature 0.7: ${url} gives log-probabilities before temperature, which are not those of what is ` +
          "sampled; start vLLM with --logprobs-mode processed_logprobs, or pass --raw-logprobs if nothing is trained",
      );
      await expect(named(route, warm(url, "server"))).rejects.toThrow("--logprobs-mode");
    });

    test("of the second server are found too", async () => {
      const [right, raw] = [await servePlayer({ logprobsMode: "processed_logprobs" }), await servePlayer()];
      const refused = named("vllm", warm(`${right.url},${raw.url}`, await folderWithTokenizer()));
      await expect(refused).rejects.toThrow(`--temperature 0.7: ${raw.url} gives`);
    });

    test("may be allowed, and then the run says so", async () => {
      const { url } = await servePlayer();
      const allowed = await named("vllm", warm(url, await folderWithTokenizer(), "--raw-logprobs"));
      expect(allowed.digest).toMatchObject({ rawLogprobs: true });
    });

    test.each(["0", "1"])("do no harm at %s, and are not asked for", async (temperature) => {
      const server = await servePlayer();
      const before = server.stats().generatedTokens;
      await named("vllm", at(server.url, await folderWithTokenizer(), "--temperature", temperature));
      expect(server.stats().generatedTokens).toBe(before);
    });

    test("are sglang's and a chat server's own matter", async () => {
      const { url } = await servePlayer();
      await named("sglang", warm(url, await folderWithTokenizer()));
      await named("openai", at(url, undefined, "--temperature", "0.7"));
    });

    test("that cannot be told do not stop it", async () => {
      const { url } = await servePlayer({ policy: () => "```Up```" });
      await named("vllm", warm(url, await folderWithTokenizer()));
    });
  });

  test("a model that is not served", async () => {
    const { url } = await servePlayer();
    const args = at(url, await folderWithTokenizer()).map((arg) => (arg === "forkgym/tiny" ? "other" : arg));
    await expect(named("vllm", args)).rejects.toThrow(
      `--model: ${url} does not serve "other"; it serves forkgym/tiny`,
    );
  });

  const away = "--url http://127.0.0.1:1 --model m";
  test.each([
    ["vllm --url http://127.0.0.1:1", "--policy vllm: --model is needed, as the server calls it"],
    ["vllm --model m", "--policy vllm: --url is needed, http://localhost:8000 for example"],
    [
      `sglang ${away}`,
      "--policy sglang: --tokenizer is needed: a folder with the model's tokenizer.json and",
    ],
    [`vllm ${away} --tokenizer no`, "--tokenizer: cannot read no/tokenizer.json: ENOENT"],
    [
      `openai ${away}`,
      "--url: GET http://127.0.0.1:1/v1/models: no answer, connect ECONNREFUSED 127.0.0.1:1; start it, or leave",
    ],
    [
      "openai --url http://u:p@127.0.0.1:1 --model m",
      "--url: it has a user or password in it; put the key into FORKGYM_",
    ],
    [`openai ${away} --top-logprobs 5`, "--top-logprobs: with --policy openai it needs --tokenizer"],
    [`openai ${away} --chat-template x`, "--chat-template: with --policy openai the server has its own"],
    [
      `openai ${away} --chat-option x=1`,
      "--chat-option: with --policy openai the server has its own template",
    ],
    [
      `openai ${away} --keep-rewrites`,
      "--keep-rewrites: with --policy openai the server has its own template",
    ],
    ...[
      ...[
        "--raw-logprobs",
        "--temperature 0.5",
        "--temperature 1",
        "--top-p 0.5",
        "--top-k 3",
        "--retries 0",
      ],
      ...["--max-tokens 9", "--context-tokens 9", "--concurrency 64", "--top-logprobs 0", "--keep-rewrites"],
      ...["--chat-option a=b", "--omit n", "--metrics-port 0"],
    ].map((option) => [`random ${option}`, `${option.split(" ")[0]}: it is for a model`]),
    [`vllm ${away} --omit n`, "--omit: only --policy openai takes it"],
    [
      `random ${away}`,
      "--url: it is for a model (--policy vllm, vllm-generate, sglang, openai), got --policy random",
    ],
  ] as [string, string][])("a usage error is named: %s", async (args, message) => {
    const [policy, ...rest] = args.split(" ");
    const failed = named(policy!, rest);
    await expect(failed).rejects.toThrow(InputError);
    await expect(failed).rejects.toThrow(message);
  });

  test("an environment without a dialogue", async () => {
    await expect(named("openai", at("http://127.0.0.1:1"), kitOf("frozen-lake-v1"))).rejects.toThrow(
      "--policy: frozen-lake-v1 has no dialogue, so that a language model cannot play it",
    );
  });

  test.each([
    ["--top-p 0", "Expected a number above 0, at most 1."],
    ["--temperature -1", "Expected a number from 0."],
    ["--metrics-port 70000", "Expected a whole number from 0 to 65535."],
    ["--chat-option x", "Expected name=value."],
  ])("an option out of bounds is named: %s", (args, message) => {
    expect(() => parsed(args.split(" "))).toThrow(CommanderError);
    expect(() => parsed(args.split(" "))).toThrow(message);
  });
});
