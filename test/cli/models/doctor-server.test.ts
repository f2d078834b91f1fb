import { expect, test } from "vitest";
import { serverProbes } from "../../../cli/models/server-probes.ts";
import { answering, json, status } from "../../agents/model-server/answering.ts";
import { freshFolder, quiet } from "../forkgym.ts";
import { folderWithTokenizer, servePlayer } from "./tiny-model.ts";

/** What the probes find, in the words of `doctor`. */
async function results(url: string, tokenizer: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const [name, probe] of Object.entries(serverProbes(url, { tokenizer, chatOption: {} }))) {
    found[name] = await probe().then(
      (text) => `ok: ${text}`,
      (error: Error) => `missing: ${error.message}`,
    );
  }
  return found;
}

test("a server with all routes: what it is, which policies it answers, what it caches, whose tokens", async () => {
  const folder = await folderWithTokenizer();
  const { url } = await servePlayer();
  const exact = "ok: token for token; 240 of 256 tokens of a repeated prompt from the cache";
  const raw =
    "; log-probabilities before temperature: for training at another than 1, start it with --logprobs-mode processed_logprobs";
  expect(await results(url, folder)).toEqual({
    server: "ok: SGLang; serves forkgym/tiny (32768 tokens)",
    health: "ok: /health answers 200",
    "--policy vllm": exact + raw,
    "--policy vllm-generate": exact + raw,
    "--policy sglang": exact,
    "--policy openai": expect.stringMatching(
      /^ok: text only, not token-exact; \d+ of \d+ tokens of a repeated/,
    ),
    tokenizer: "ok: the same as the server's; chat template: same",
  });
});

test.each([
  ["one that gives them after temperature", { logprobsMode: "processed_logprobs" }, "of what is sampled"],
  ["one that has nothing to choose from", { policy: () => "a" }, "is unknown"],
  ["one that gives no alternatives", { maxLogprobs: 0 }, "is unknown"],
] as const)("log-probabilities of %s", async (_, options, words) => {
  const found = await results((await servePlayer(options)).url, await folderWithTokenizer());
  for (const route of ["vllm", "vllm-generate"]) expect(found[`--policy ${route}`]).toContain(words);
});

test("a server with one route of its own: the others are missing, and what it does not say is told", async () => {
  const folder = await folderWithTokenizer();
  const reply = {
    choices: [{ message: { content: "x" }, finish_reason: "length" }],
    usage: { prompt_tokens: 3, completion_tokens: 1 },
  };
  const { url } = await answering((response, asked) => {
    const answers: Record<string, ReturnType<typeof json>> = {
      "/version": json({ version: "9.9" }),
      "/v1/models": json({ data: [{ id: "m" }] }),
      "/health": status(503, "loading"),
      "/v1/chat/completions": json(reply),
    };
    return (answers[asked.path] ?? status(404, "none"))(response, asked);
  });
  expect(await results(url, folder)).toEqual({
    server: "ok: vLLM 9.9; serves m",
    health: expect.stringMatching(/^missing: .*status 503, "loading"$/),
    "--policy vllm": expect.stringMatching(/^missing: .*\/v1\/completions: status 404, "none"$/),
    "--policy vllm-generate": expect.stringMatching(/^missing: .*status 404, "none"$/),
    "--policy sglang": expect.stringMatching(/^missing: .*status 404, "none"$/),
    "--policy openai":
      "ok: text only, not token-exact; it does not say what came from its cache (vLLM: --enable-prompt-tokens-details)",
    tokenizer: "ok: unknown: the server has no /tokenize that answers",
  });
});

test("no server: one line says why, the others need it, and it is no failure", async () => {
  const rows = (await quiet(await freshFolder(), "doctor --url http://127.0.0.1:1")).trimEnd().split("\n");
  expect(rows[0]).toMatch(/^missing +server +doctor: .*ECONNREFUSED/);
  expect(rows).toHaveLength(6);
  for (const row of rows.slice(1)) expect(row).toMatch(/^missing .* needs the server$/);
});
