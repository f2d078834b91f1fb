interface Block {
  readonly parent: Block | undefined;
  readonly key: string;
  readonly next: Map<string, Block>;
  /** Running requests that hold it. */
  holders: number;
}

/** What a request holds in the cache while it runs. */
export interface CacheHold {
  /** Prompt tokens that need no computing. */
  readonly cachedTokens: number;
  /** The request is over; the blocks that its output filled stay, until room is needed. */
  release(output: readonly number[]): void;
}

/**
 * Prefix cache in blocks as vLLM counts: only full blocks are shared, a block is known by itself and all before it,
 * and the last token of a prompt is always computed. Unused blocks go in the order in which they were last used, the
 * end of a sequence before its beginning. Running requests may hold more than the capacity; nothing waits for room.
 */
export class PrefixCache {
  readonly #blockSize: number;
  readonly #capacity: number;
  readonly #roots = new Map<string, Block>();
  /** Blocks that no running request holds, the next to go first. */
  readonly #free = new Set<Block>();
  #blocks = 0;
  #held = 0;

  constructor(blockSize: number, capacity: number) {
    this.#blockSize = blockSize;
    this.#capacity = capacity;
  }

  /** Share of the capacity that running requests hold, from 0 to 1. */
  get usage(): number {
    return Math.min(1, this.#held / this.#capacity);
  }

  /** A request starts. `salt` keeps requests with another salt apart. */
  hold(prompt: readonly number[], salt: string): CacheHold {
    const root = this.#root(salt);
    const held: Block[] = [];
    let last = root;
    let hits = 0;
    for (const key of keys(prompt, this.#blockSize)) {
      const known = last.next.get(key);
      if (known !== undefined) hits++;
      last = known ?? this.#add(last, key);
      this.#take(last);
      held.push(last);
    }
    const most = Math.floor((prompt.length - 1) / this.#blockSize);
    this.#evict();
    return {
      cachedTokens: Math.max(0, Math.min(hits, most)) * this.#blockSize,
      release: (output) => {
        // The last token of the output was sampled and never computed.
        const all = output.length > 0 ? [...prompt, ...output.slice(0, -1)] : prompt;
        for (const key of keys(all, this.#blockSize, held.length)) {
          last = last.next.get(key) ?? this.#add(last, key);
          this.#take(last);
          held.push(last);
        }
        for (const block of held.reverse()) this.#drop(block);
        this.#evict();
      },
    };
  }

  /** Forgets everything that no running request holds; the rest is not found again either. */
  clear(): void {
    this.#roots.clear();
    for (const block of this.#free) this.#forget(block);
  }

  #root(salt: string): Block {
    let root = this.#roots.get(salt);
    if (root === undefined) {
      root = { parent: undefined, key: "", next: new Map(), holders: 0 };
      this.#roots.set(salt, root);
    }
    return root;
  }

  #add(parent: Block, key: string): Block {
    const block: Block = { parent, key, next: new Map(), holders: 0 };
    parent.next.set(key, block);
    this.#blocks++;
    return block;
  }

  #take(block: Block): void {
    if (block.holders++ === 0) this.#held++;
    this.#free.delete(block);
  }

  #drop(block: Block): void {
    if (--block.holders > 0) return;
    this.#held--;
    this.#free.add(block);
  }

  #evict(): void {
    for (const block of this.#free) {
      if (this.#blocks <= this.#capacity) return;
      this.#forget(block);
    }
  }

  #forget(block: Block): void {
    this.#free.delete(block);
    block.parent?.next.delete(block.key);
    this.#blocks--;
  }
}

/** The full blocks from the `from`th on, each as text. */
function* keys(tokenIds: readonly number[], size: number, from = 0): Generator<string> {
  for (let end = (from + 1) * size; end <= tokenIds.length; end += size) {
    yield tokenIds.slice(end - size, end).join();
  }
}
