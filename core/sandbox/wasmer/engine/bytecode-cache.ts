import { createHash } from "node:crypto";

/** All of sympy compiled is 30 MB. */
const MAX_BYTES = 256 * 2 ** 20;

/**
 * Bytecode by the content of the source that it was compiled from, for all sandboxes of the process: two that were made
 * apart from the same archive share it too. What was not used for longest goes first.
 */
export class BytecodeCache {
  readonly #maxBytes: number;
  readonly #kept = new Map<string, Uint8Array>();
  /** Contents are hashed once; nobody changes them in place. */
  readonly #digests = new WeakMap<Uint8Array, string>();
  #bytes = 0;

  /** @param maxBytes of bytecode that is kept. @default 256 MiB */
  constructor(maxBytes: number = MAX_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** `kind` tells apart what Python compiles of one source, for example `.cpython-311.opt-1`. */
  get(source: Uint8Array, kind: string): Uint8Array | undefined {
    const key = this.#key(source, kind);
    const found = this.#kept.get(key);
    if (found === undefined) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, found);
    return found;
  }

  set(source: Uint8Array, kind: string, bytecode: Uint8Array): void {
    const key = this.#key(source, kind);
    this.#bytes += bytecode.length - (this.#kept.get(key)?.length ?? 0);
    this.#kept.delete(key);
    this.#kept.set(key, bytecode);
    for (const [oldest, { length }] of this.#kept) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#kept.delete(oldest);
      this.#bytes -= length;
    }
  }

  #key(source: Uint8Array, kind: string): string {
    let digest = this.#digests.get(source);
    if (digest === undefined) {
      digest = createHash("sha256").update(source).digest("base64");
      this.#digests.set(source, digest);
    }
    return `${digest} ${kind}`;
  }
}
