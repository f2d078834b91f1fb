import type { Duplex } from "node:stream";
import { FileError, SandboxError, SnapshotError } from "../../errors.ts";

/** What a request brought: its answer, and the head and tail of each stream. */
export interface Reply {
  readonly answer: { readonly [key: string]: unknown };
  /** Chunks by stream (0 stdout, 1 stderr) and part (0 head, 1 tail). */
  readonly output: readonly [readonly Uint8Array[], readonly Uint8Array[]][];
}

interface Waiting {
  readonly output: [Uint8Array[], Uint8Array[]][];
  /** So many more bytes of its input were taken. */
  readonly taken: (bytes: number) => void;
  resolve(reply: Reply): void;
  reject(error: Error): void;
}

const HEADER_BYTES = 9;
/** Bytes of an input that are sent ahead of what its command has read: neither side keeps more of it on the way. */
const AHEAD_BYTES = 4 << 20;
const PART_BYTES = 1 << 20;

/**
 * The wire to a container's command server (see server.py): requests are numbered frames, several may be under way.
 * Once it breaks, every request fails with the same SandboxError, those under way at once.
 */
export class Connection {
  readonly #stream: Duplex;
  readonly #waiting = new Map<number, Waiting>();
  readonly #name: string;
  #rest: Buffer = Buffer.alloc(0);
  #count = 0;
  readonly #watchers = new Set<(error: Error) => void>();
  #broken: SandboxError | undefined;

  /** @param stream raw, with Docker's own frames around what the server writes. */
  constructor(stream: Duplex, name: string) {
    this.#stream = stream;
    this.#name = name;
    stream.on("data", (chunk: Buffer) => this.#read(chunk));
    stream.on("error", (error) => this.break(error.message));
    stream.on("close", () => this.break("its connection was closed"));
    stream.on("end", () => this.break("its connection ended"));
  }

  get broken(): SandboxError | undefined {
    return this.#broken;
  }

  /** What `work` brings, or a rejection as soon as the connection breaks. Nothing of it is kept once it is settled. */
  async whileThere<T>(work: Promise<T>): Promise<T> {
    work.catch(() => {});
    if (this.#broken !== undefined) throw this.#broken;
    let watcher: ((error: Error) => void) | undefined;
    try {
      return await new Promise<T>((resolve, reject) => {
        watcher = reject;
        this.#watchers.add(reject);
        work.then(resolve, reject);
      });
    } finally {
      this.#watchers.delete(watcher!);
    }
  }

  /** The server's first word. */
  ready(): Promise<Reply> {
    return this.#wait(0);
  }

  /** Sends a request and what it reads, and waits for its answer. `onKey` is told the number to kill it by. */
  request(body: object, input?: Uint8Array, onKey: (kill: () => void) => void = () => {}): Promise<Reply> {
    if (this.#broken !== undefined) return Promise.reject(this.#broken);
    const key = ++this.#count;
    let sent = 0;
    let limit = AHEAD_BYTES;
    const send = () => {
      if (input === undefined || sent === input.length) return;
      for (let end = sent; sent < Math.min(limit, input.length); sent = end) {
        end = Math.min(sent + PART_BYTES, limit, input.length);
        this.#send("D", key, input.subarray(sent, end));
      }
      if (sent === input.length) this.#send("E", key);
    };
    const reply = this.#wait(key, (bytes) => {
      limit += bytes;
      send();
    });
    // In one write where it is small: each write is a message through Docker's daemon.
    this.#stream.cork();
    this.#send("R", key, Buffer.from(JSON.stringify(body)));
    if (input?.length === 0) this.#send("E", key);
    else send();
    this.#stream.uncork();
    onKey(() => this.#send("K", key));
    return reply;
  }

  /** Ends the connection: the server goes, and its container with it. */
  end(): void {
    this.break("it was closed");
    this.#stream.end();
    this.#stream.destroy();
  }

  break(why: string): void {
    this.#broken ??= new SandboxError(`docker: container ${this.#name} is gone: ${why}`);
    for (const { reject } of this.#waiting.values()) reject(this.#broken);
    this.#waiting.clear();
    for (const reject of this.#watchers) reject(this.#broken);
  }

  #wait(key: number, taken: (bytes: number) => void = () => {}): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(key, { output: [], taken, resolve, reject });
    });
  }

  #send(type: string, key: number, payload: Uint8Array = new Uint8Array()): void {
    if (this.#broken !== undefined) return;
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt32LE(payload.length, 0);
    header.write(type, 4, "latin1");
    header.writeUInt32LE(key, 5);
    this.#stream.write(header);
    if (payload.length > 0) this.#stream.write(payload);
  }

  #raw: Buffer = Buffer.alloc(0);

  /** Takes Docker's frames off: 1 byte stream, 3 bytes nothing, 4 bytes length, then the bytes. */
  #read(chunk: Buffer): void {
    this.#raw = this.#raw.length === 0 ? chunk : Buffer.concat([this.#raw, chunk]);
    const parts: Buffer[] = [];
    let at = 0;
    while (this.#raw.length - at >= 8) {
      const length = this.#raw.readUInt32BE(at + 4);
      if (this.#raw.length - at < 8 + length) break;
      const body = this.#raw.subarray(at + 8, at + 8 + length);
      if (this.#raw[at] === 1) parts.push(body);
      else this.#lastWords = (this.#lastWords + body.toString("utf8")).slice(-2000);
      at += 8 + length;
    }
    this.#raw = this.#raw.subarray(at);
    if (parts.length > 0) this.#frames(Buffer.concat([this.#rest, ...parts]));
  }

  #lastWords = "";

  /** What the server wrote to its standard error, for messages. */
  get lastWords(): string {
    return this.#lastWords.trim();
  }

  #frames(data: Buffer): void {
    let at = 0;
    while (data.length - at >= HEADER_BYTES) {
      const length = data.readUInt32LE(at);
      if (data.length - at < HEADER_BYTES + length) break;
      const type = data.toString("latin1", at + 4, at + 5);
      const key = data.readUInt32LE(at + 5);
      this.#frame(type, key, data.subarray(at + HEADER_BYTES, at + HEADER_BYTES + length));
      at += HEADER_BYTES + length;
    }
    this.#rest = Buffer.from(data.subarray(at));
  }

  #frame(type: string, key: number, payload: Buffer): void {
    const waiting = this.#waiting.get(key);
    if (waiting === undefined) return;
    if (type === "O") {
      const [stream, part] = [payload[0]!, payload[1]!];
      waiting.output[stream] ??= [[], []];
      waiting.output[stream][part]!.push(Buffer.from(payload.subarray(2)));
      return;
    }
    if (type === "W") {
      waiting.taken(payload.readUInt32LE(0));
      return;
    }
    this.#waiting.delete(key);
    const answer = JSON.parse(payload.toString("utf8")) as Reply["answer"];
    const error = errorOf(answer);
    if (error === undefined) waiting.resolve({ answer, output: waiting.output });
    else waiting.reject(error);
  }
}

function errorOf({ error, message }: Reply["answer"]): Error | undefined {
  if (error === undefined) return undefined;
  const text = String(message);
  if (error === "file") return new FileError(`sandbox: ${text}`);
  if (error === "gone") return new SnapshotError(`docker: ${text}`);
  return new SandboxError(`docker: ${text}`);
}
