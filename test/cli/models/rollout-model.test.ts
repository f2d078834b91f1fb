import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import type { TreeRecord } from "../../../core/run/record.ts";
import { forkgym, linesOf, start } from "../forkgym.ts";
import { folderWithTokenizer, servePlayer } from "./tiny-model.ts";

const command = (route: string, url: string, more: string) =>
  `rollout frozen-lake/rllm-test --tasks 2 --max-tokens 64 --policy ${route} --url ${url} --model forkgym/tiny ` +
  `--out r ${more}`;

const config = async (folder: string) =>
  JSON.parse(await readFile(join(folder, "r/run.json"), "utf8")).config;

test("a run on a server says in a pipe what it came to, in one line; its folder knows the model and no URL", async () => {
  const folder = await folderWithTokenizer();
  const server = await servePlayer({
    misbehave: ({ path, number }) =>
      path === "/v1/completions" && number % 10 === 0
        ? { kind: "too-many-requests", retryAfterS: 0 }
        : undefined,
  });
  const { code, stdout, stderr } = await forkgym(
    folder,
    command("vllm", server.url, "--tokenizer . --retries 9"),
  );
  expect(stderr).toMatch(
    /^\d+ samples, \d+ tokens generated of \d+ prompt tokens, [\d.]+ turns\/s, [\d.]+ tokens\/s, [\d.]+% of the prompts cached, \d+ failed \(overloaded \d+\)\n$/,
  );
  expect([code, stdout.split(";")[0]]).toEqual([0, "2 trees"]);
  expect((await config(folder)).policy).toMatchObject({
    route: "vllm",
    model: "forkgym/tiny",
    tokenExact: true,
  });
  expect(JSON.stringify(await config(folder))).not.toContain("127.0.0.1");
});

test("several strategies on a server that is not token-exact: said once, and recorded", async () => {
  const folder = await folderWithTokenizer();
  const server = await servePlayer({ tellCached: false });
  const strategies = "--strategy independent:n=2 --strategy patr:branches=2 --seeds 1 --budget 8";
  const { code, stderr } = await forkgym(folder, command("openai", server.url, strategies));
  expect([code, stderr.split("\n")]).toEqual([
    0,
    [
      "not token-exact: replies come as text, so the run is good for evaluation and not for training",
      expect.stringMatching(/^\d+ samples, .* tokens\/s, cached prompts not told$/),
      "",
    ],
  ]);
  const [line] = await linesOf(join(folder, "r/independent-n=2-s0/trees.jsonl"));
  expect((JSON.parse(line!) as TreeRecord).policy).toBe("openai forkgym/tiny (text only, not token-exact)");
});

test("--metrics-port serves what Prometheus reads while the run lasts", async () => {
  const folder = await folderWithTokenizer();
  const server = await servePlayer({
    misbehave: ({ path }) => (path === "/v1/completions" ? { kind: "no-reply" } : undefined),
  });
  const running = start(folder, command("vllm", server.url, "--tokenizer . --metrics-port 0"));
  let stderr = "";
  running.process.stderr!.on("data", (text: string) => {
    stderr += text;
  });
  const noted = async (): Promise<string> =>
    /^metrics: (\S+)\n/m.exec(stderr)?.[1] ?? (await setTimeout(5).then(noted));
  const url = await noted();
  let text = "";
  while (!text.includes(`forkgym_model_in_flight{endpoint="${server.url}"} 8\n`)) {
    const response = await fetch(url);
    expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    text = await response.text();
  }
  expect((await fetch(url.replace("/metrics", "/"))).status).toBe(404);
  running.process.kill("SIGINT");
  expect((await running.ended).code).toBe(130);
});
