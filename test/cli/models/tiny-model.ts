import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import {
  type ModelServerOptions,
  randomReplies,
  startModelServer,
  type TestModelServer,
  tokenizerConfig,
  tokenizerJson,
} from "../../serving/index.ts";
import { freshFolder } from "../forkgym.ts";

const REPLIES = ["```Up```", "```Down```", "I think\n```Left```", "```Right```", "nothing"];

/** A server that plays FrozenLake by chance, as long as the test lasts. */
export async function servePlayer(options: Partial<ModelServerOptions> = {}): Promise<TestModelServer> {
  const server = await startModelServer({ policy: randomReplies(REPLIES), ...options });
  onTestFinished(() => server.close());
  return server;
}

/** A fresh folder with the tokenizer of the test server's model in `tiny`. */
export async function folderWithTokenizer(config: object = tokenizerConfig()): Promise<string> {
  const folder = await freshFolder();
  await writeFile(join(folder, "tokenizer.json"), JSON.stringify(tokenizerJson()));
  await writeFile(join(folder, "tokenizer_config.json"), JSON.stringify(config));
  return folder;
}
