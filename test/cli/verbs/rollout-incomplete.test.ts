import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { TreeRecord } from "../../../core/run/record.ts";
import { forkgym, freshFolder, linesOf } from "../forkgym.ts";

/** A model server that plays Right, or is down but for its list of models. */
async function serve(): Promise<{ readonly url: string; down: boolean }> {
  const answer = (text: string) => ({
    choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
    usage: { prompt_tokens: 10, completion_tokens: 3 },
  });
  const state = { url: "", down: true };
  const server = createServer((request, response) => {
    const models = request.url!.endsWith("/models");
    if (state.down && !models) response.statusCode = 400;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(models ? { data: [{ id: "m" }] } : answer("```Right```")));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return state;
}

const command = (url: string, more = "") =>
  `rollout frozen-lake/rllm-test --policy openai --url ${url} --model m --tasks 2 --out r ${more}`.trim();

test("a run without any reward ends with code 1 and says why; --retry-incomplete grows it again", async () => {
  const folder = await freshFolder();
  const server = await serve();
  const one = command(server.url, "--strategy independent:n=2");
  for (const again of ["", " --retry-incomplete"]) {
    const { code, stdout, stderr } = await forkgym(folder, `${one}${again}`);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^2 trees, 2 of them with problems; 4 leaves: 4 error\n/);
    expect(stderr).toMatch(
      /\nforkgym: rollout: no leaf of 2 trees has a reward: the first problem: rllm-test\/\S+: branch 0, [^\n]+400[^\n]+; put right what failed, then run the same command with --retry-incomplete\n$/,
    );
  }
  server.down = false;
  expect((await forkgym(folder, one)).code).toBe(1);
  const { code, stdout, stderr } = await forkgym(folder, `${one} --retry-incomplete`);
  expect([code, stdout.split(": ")[0]]).toEqual([0, "2 trees; 4 leaves"]);
  expect(stderr).not.toContain("forkgym:");
  const records = (await linesOf(join(folder, "r/trees.jsonl"))).map(
    (line) => JSON.parse(line) as TreeRecord,
  );
  expect(records.map(({ problems }) => problems)).toEqual([[], []]);
});

test("a contest without any reward too", async () => {
  const folder = await freshFolder();
  const server = await serve();
  const several = command(server.url, "--strategy independent:n=2 --strategy arpo --seeds 1");
  const failed = await forkgym(folder, several);
  expect(failed.code).toBe(1);
  expect(failed.stderr).toMatch(/\nforkgym: rollout: no leaf of 4 trees has a reward: the first problem: /);
  server.down = false;
  const { code, stdout } = await forkgym(folder, `${several} --retry-incomplete`);
  expect([code, stdout]).toEqual([0, expect.not.stringContaining("with problems")]);
});
