import type { ModelServer, Sample, SampleRequest } from "../../agents/model-server/model-server.ts";

/** Tokens of a block, as vLLM counts its prefix cache and the test server does. */
const BLOCK = 16;

interface Block {
  readonly next: Map<string, Block>;
}

/** A server whose traffic is noted, to find out afterwards what a cache that forgets nothing would have had of it. */
export class Noted implements ModelServer {
  cachedTokens = 0;
  promptTokens = 0;
  generatedTokens = 0;
  readonly #server: ModelServer;
  /** Prompts as they were sent, and prompts with replies as they came: token ids, in that order. */
  readonly #sent: { readonly ids: readonly number[]; readonly reply?: readonly number[] }[] = [];

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
    const ids = request.promptTokenIds!;
    this.#sent.push({ ids });
    const sample = await this.#server.sample(request, signal);
    this.#sent.push({ ids, reply: sample.tokenIds! });
    this.promptTokens += sample.promptTokens;
    this.generatedTokens += sample.generatedTokens;
    this.cachedTokens += sample.cachedTokens ?? 0;
    return sample;
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  /** Prompt tokens in full blocks that an earlier prompt or reply had already. */
  possibleTokens(): number {
    const root: Block = { next: new Map() };
    let possible = 0;
    for (const { ids, reply } of this.#sent) {
      // The last token of a prompt is always computed, the last that was sampled never is.
      if (reply === undefined) possible += walk(root, ids.slice(0, -1));
      walk(root, reply === undefined ? ids : [...ids, ...reply.slice(0, -1)]);
    }
    return possible;
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
