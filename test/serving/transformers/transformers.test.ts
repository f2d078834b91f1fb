import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { messagesTo } from "../../../agents/model-server/history.ts";
import { openaiServer } from "../../../agents/model-server/openai.ts";
import { ChatTemplate } from "../../../agents/model-server/tokens/chat-template.ts";
import { loadTokenizer } from "../../../agents/model-server/tokens/tokenizer.ts";
import type { Message } from "../../../core/dialogue.ts";
import { type TreeRecord, toTree } from "../../../core/run/record.ts";
import { rllmDialogue } from "../../../envs/frozen-lake/dialogue.ts";
import type { LakeView } from "../../../envs/frozen-lake/rllm.ts";
import type { RllmAction, RllmLakeData } from "../../../envs/frozen-lake/rllm-rules.ts";
import { forkgym, freshFolder, linesOf, quiet } from "../../cli/forkgym.ts";

// A real server: Hugging Face's `transformers serve` with a tiny model made on the spot.
// FORKGYM_TRANSFORMERS_PYTHON names a Python with these; FORKGYM_REQUIRE_PEERS=1 makes their absence a failure.
const PACKAGES = ["torch", "transformers", "accelerate", "fastapi", "uvicorn", "openai", "requests"];
/** What `transformers serve` refuses as unexpected. */
const OMIT = ["top_k", "repetition_penalty", "stop_token_ids"];

interface Golden {
  readonly maxTokens: number;
  readonly samples: readonly {
    readonly messages: readonly Message[];
    readonly seed: number;
    readonly promptTokenIds: readonly number[];
    readonly tokenIds: readonly number[];
    readonly text: string;
    readonly served: string;
  }[];
}

const python = process.env.FORKGYM_TRANSFORMERS_PYTHON;
const required = process.env.FORKGYM_REQUIRE_PEERS === "1";
const find = `import importlib.util as u, sys; sys.exit(not all(map(u.find_spec, ${JSON.stringify(PACKAGES)})))`;
const found = python !== undefined && spawnSync(python, ["-c", find]).status === 0;
const missing = `FORKGYM_TRANSFORMERS_PYTHON is not set to a Python with ${PACKAGES.join(", ")}`;

if (!found && required) {
  test("`transformers serve` is there", () => {
    throw new Error(`${missing}, and FORKGYM_REQUIRE_PEERS=1 asks for it (got ${python})`);
  });
} else if (!found) {
  test.skip(`skipped: ${missing}`, () => {});
}

describe.runIf(found)("transformers serve", () => {
  let folder = "";
  let url = "";
  let process: ChildProcess | undefined;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "forkgym-transformers-"));
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    process = serveTiny(python!, folder, port);
    await untilHealthy(url, process);
  }, 180_000);

  afterAll(() => {
    process?.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });

  function chatOf(): ChatTemplate {
    const [tokenizerJson, tokenizerConfig] = ["tokenizer.json", "tokenizer_config.json"].map((name) =>
      join(folder, name),
    );
    const tokenizer = loadTokenizer({ tokenizerJson: tokenizerJson!, tokenizerConfig: tokenizerConfig! });
    return new ChatTemplate({
      tokenizer,
      template: readFileSync(join(folder, "chat_template.jinja"), "utf8"),
    });
  }

  test("its prompts and replies are those of our tokenizer, id for id", async () => {
    const { maxTokens, samples } = JSON.parse(readFileSync(join(folder, "golden.json"), "utf8")) as Golden;
    const chat = chatOf();
    const server = openaiServer({ url, model: folder, omit: OMIT });
    onTestFinished(() => server.close());
    const fixed = { maxTokens, temperature: 1, topP: 1, topK: -1, stopTokenIds: [], topLogprobs: 0 };
    for (const { messages, seed, promptTokenIds, tokenIds, text, served } of samples) {
      expect(chat.tokenizer.encode(chat.render(messages))).toEqual(promptTokenIds);
      expect(chat.tokenizer.decode(tokenIds)).toBe(text);
      expect(await server.sample({ ...fixed, messages, seed })).toEqual({
        text: served,
        promptTokens: promptTokenIds.length,
        generatedTokens: tokenIds.length,
        finishReason: tokenIds.length === maxTokens ? "length" : "stop",
        endpoint: url,
      });
    }
    const ended = samples.filter(({ tokenIds }) => tokenIds.at(-1) === chat.endOfTurn).length;
    expect(ended).toBeGreaterThan(0);
    expect(ended).toBeLessThan(samples.length);
  });

  test("a PATR tree over FrozenLake grows from the command line, and the server counts its prompts as we do", async () => {
    const out = await freshFolder();
    const { code, stderr, stdout } = await forkgym(
      out,
      "rollout frozen-lake/rllm-test --tasks 2 --strategy patr:branches=2,top=1,every=3 --max-tokens 12 " +
        `--policy openai --url ${url} --model ${folder} --omit ${OMIT.join(",")} --out r`,
    );
    expect(stderr).toMatch(/^not token-exact: [^\n]*\n\d+ samples, \d+ tokens generated[^\n]*\n$/);
    expect([code, stdout.split(";")[0]]).toEqual([0, "2 trees"]);
    expect(await quiet(out, "replay r")).toMatch(/, 0 differences\n$/);
    const chat = chatOf();
    const moves = new Set<RllmAction | null>();
    for (const line of await linesOf(join(out, "r/trees.jsonl"))) {
      const tree = toTree<RllmLakeData, LakeView, RllmAction>(JSON.parse(line) as TreeRecord);
      expect(tree.problems).toEqual([]);
      for (const { parent, choice } of tree.nodes.slice(1)) {
        const prompt = chat.render(messagesTo(rllmDialogue, tree.task, parent!));
        expect(choice!.usage!.promptTokens).toBe(chat.tokenizer.encode(prompt).length);
        moves.add(choice!.action);
      }
    }
    expect(moves.size).toBeGreaterThan(3);
  });
});

function serveTiny(python: string, folder: string, port: number): ChildProcess {
  const script = fileURLToPath(new URL("./serve_tiny.py", import.meta.url));
  const env = { ...globalThis.process.env, HF_HUB_OFFLINE: "1", HF_HUB_CACHE: folder };
  return spawn(python, [script, folder, String(port)], { env, stdio: ["ignore", "ignore", "pipe"] });
}

async function untilHealthy(url: string, process: ChildProcess): Promise<void> {
  let said = "";
  process.stderr!.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  for (;;) {
    const answer = await fetch(`${url}/health`).catch(() => undefined);
    if (answer?.ok) return;
    if (process.exitCode !== null) throw new Error(`transformers serve ended: ${said.slice(-2000)}`);
    await setTimeout(100);
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { readonly port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
