import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, inject, onTestFinished, test } from "vitest";
import type { Message } from "../../core/dialogue.ts";
import { parseRllmAction } from "../../envs/frozen-lake/parse.ts";
import { randomReplies, startModelServer, tokenizerConfig, tokenizerJson } from "../serving/index.ts";

// What of bench/gpu needs neither a GPU nor a Python.

const run = promisify(execFile);
const compiled = (name: string) => join(inject("packageFolder"), "dist/bench/gpu", name);

test("without its packages a dry run prints the plan and says what is missing; a real one fails", async () => {
  const env = { ...process.env, PYTHON: "./no-such-python" };
  const { stdout, stderr } = await run("bench/gpu/run", ["--dry-run"], { env });
  expect(stdout.split("\n").map((line) => line.slice(0, 2))).toEqual(["1.", "2.", "3.", "4.", ""]);
  expect(stderr).toContain("./no-such-python lacks torch and transformers");
  await expect(run("bench/gpu/run", [], { env })).rejects.toMatchObject({ code: 1 });
  await expect(run("bench/gpu/run", ["--no-such"], { env })).rejects.toMatchObject({ code: 2 });
});

test("every scripted reply holds a move, and none is followed by another reply", async () => {
  const { stdout } = await run(process.execPath, [compiled("transcripts.js"), "5"]);
  const episodes = stdout
    .trimEnd()
    .split("\n")
    .map((line) => (JSON.parse(line) as { messages: Message[] }).messages);
  expect(episodes).toHaveLength(5);
  for (const [system, ...turns] of episodes) {
    expect(system!.role).toBe("system");
    expect(turns.length).toBeGreaterThan(0);
    for (const [at, { role, content }] of turns.entries()) {
      expect(role).toBe(at % 2 === 0 ? "user" : "assistant");
      if (role === "assistant") expect(parseRllmAction(content)).not.toBe("invalid");
    }
  }
});

test("speeds are rows of the docs' table, one for each strategy", async () => {
  const folder = mkdtempSync(join(tmpdir(), "forkgym-gpu-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { chat_template: template, ...config } = tokenizerConfig();
  writeFileSync(join(folder, "tokenizer.json"), JSON.stringify(tokenizerJson()));
  writeFileSync(join(folder, "tokenizer_config.json"), JSON.stringify(config));
  writeFileSync(join(folder, "chat_template.jinja"), template as string);
  const docs = join(folder, "page.md");
  writeFileSync(docs, "<!-- gpu -->\n| head |\n<!-- /gpu -->\nrest\n");
  const server = await startModelServer({ policy: randomReplies(["```Up```", "```Left```"]), model: folder });
  onTestFinished(() => server.close());
  const where = ["--url", server.url, "--model", folder, "--machine", "M", "--about", "A", "--docs", docs];
  const small = ["--trees", "1", "--tokens", "50", "--rounds", "1"];
  await run(process.execPath, [compiled("measure.js"), ...where, ...small]);
  const row = (name: string) => String.raw`\| M \| A \| ${name} \| \d+ \| \d+ to \d+ \| 1 \| \d+\.\d\d \|\n`;
  expect(readFileSync(docs, "utf8")).toMatch(
    new RegExp(`^<!-- gpu -->\n\\| head \\|\n${row("patr")}${row("independent")}<!-- /gpu -->\nrest\n$`),
  );
});
