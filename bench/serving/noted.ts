import type { ModelServer, Sample, SampleRequest } from "../../agents/model-server/model-server.ts";

/** Tokens of a block, as vLLM counts its prefix cache and the test server does. */
const BLOCK = 16;

interface Block {
  readonly next: Map<string, Block>;
}

/** A prompt as it was sent, or a prompt with its reply as it came. */
interface Text {
  readonly ids: readonly number[];
  readonly reply?: readonly number[];
  /** The prompt was answered, so that the server has said what it had of it. */
  answered: boolean;
}

/** A server whose traffic is noted, to find out afterwards what a cache that forgets nothing would have had of it. */
export class Noted implements ModelServer {
  replies = 0;
  cachedTokens = 0;
  promptTokens = 0;
  generatedTokens = 0;
  readonly #server: ModelServer;
  /** In the order in which they were sent and came. */
  readonly #texts: Text[] = [];

  constructor(server: ModelServer) {
    this.#server = server;
  }

  get name(): string {
    return this.#server.name;
  }

  get tokenExact(): boolean {
    return this.#server.tokenExact;
  }

  async sample(request: SampleRequest, signal?: AbortSignal): Promise<Sample> {
    const prompt: Text = { ids: request.promptTokenIds!, answered: false };
    this.#texts.push(prompt);
    const sample = await this.#server.sample(request, signal);
    prompt.answered = true;
    this.#texts.push({ ids: prompt.ids, reply: sample.tokenIds!, answered: false });
    this.replies++;
    this.promptTokens += sample.promptTokens;
    this.generatedTokens += sample.generatedTokens;
    this.cachedTokens += sample.cachedTokens ?? 0;
    return sample;
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  /** Of the prompt tokens in full blocks that an earlier prompt or reply had already, the share that was cached. */
  hitShare(): number {
    const root: Block = { next: new Map() };
    let possible = 0;
    for (const { ids, reply, answered } of this.#texts) {
      // The last token of a prompt is always computed, the last that was sampled never is.
      if (answered) possible += walk(root, ids.slice(0, -1));
      walk(root, reply === undefined ? ids : [...ids, ...reply.slice(0, -1)]);
    }
    return this.cachedTokens / possible;
  }
}

/** Adds the full blocks of a text, and says how many of its tokens were there. */
function walk(root: Block, ids: readonly number[]): number {
  let [block, found] = [root, 0];
  for (let at = 0; at + BLOCK <= ids.length; at += BLOCK) {
    const key = ids.slice(at, at + BLOCK).join();
    const next = block.next.get(key);
    if (next !== undefined) found = at + BLOCK;
    else block.next.set(key, { next: new Map() });
    block = block.next.get(key)!;
  }
  return found;
}
