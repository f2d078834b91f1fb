import { Duplex } from "node:stream";
import type Docker from "dockerode";

/** A request of a client, as it was sent. */
export interface Asked {
  readonly key: number;
  readonly body: Readonly<Record<string, unknown>>;
  /** Bytes of its input so far. */
  inputBytes: number;
  inputEnded: boolean;
  /** Answers it. */
  answer(value: object): void;
  /** Says that so much of its input was taken. */
  take(bytes: number): void;
}

/** A daemon whose containers do what a test says, in place of a command server. Nothing waits, nothing runs. */
export class FakeDaemon {
  readonly asked: Asked[] = [];
  /** Containers that are there. */
  readonly containers: Set<string> = new Set();
  /** Called with each request; one that is not answered stays under way. */
  onRequest: (asked: Asked) => void = ({ answer }) => answer(DONE);
  /** What a commit does. @default a new image */
  onCommit: () => { Id: string } = () => ({ Id: `sha256:image${++this.#count}` });
  readonly docker: Docker = {
    createContainer: async () => this.#container(),
    getImage: () => ({
      inspect: async () => ({ RootFS: { Layers: [] }, Config: {} }),
      remove: async () => {},
    }),
  } as unknown as Docker;
  #count = 0;

  #container(): object {
    const id = `container${++this.#count}`;
    this.containers.add(id);
    const wire = new ServerSide((asked) => {
      this.asked.push(asked);
      this.onRequest(asked);
    });
    return {
      id,
      attach: async () => wire,
      start: async () => wire.say("A", 0, Buffer.from('{"ready":true}')),
      commit: async () => this.onCommit(),
      remove: async () => {
        this.containers.delete(id);
        wire.destroy();
      },
      inspect: async () => {
        if (!this.containers.has(id))
          throw Object.assign(new Error("no such container"), { statusCode: 404 });
      },
    };
  }
}

/** What a command answers that did nothing. */
export const DONE = { exitCode: 0, timedOut: false, ms: 1, shell: null, omitted: [0, 0] } as const;

/** The server's end of a container's attached stream. */
class ServerSide extends Duplex {
  readonly #onRequest: (asked: Asked) => void;
  readonly #open = new Map<number, Asked>();
  #rest: Buffer = Buffer.alloc(0);

  constructor(onRequest: (asked: Asked) => void) {
    super();
    this.#onRequest = onRequest;
  }

  ref(): void {}

  unref(): void {}

  override _read(): void {}

  override _write(chunk: Buffer, _: string, done: () => void): void {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    while (this.#rest.length >= 9 && this.#rest.length >= 9 + this.#rest.readUInt32LE(0)) {
      const end = 9 + this.#rest.readUInt32LE(0);
      this.#frame(
        this.#rest.toString("latin1", 4, 5),
        this.#rest.readUInt32LE(5),
        this.#rest.subarray(9, end),
      );
      this.#rest = this.#rest.subarray(end);
    }
    done();
  }

  #frame(kind: string, key: number, payload: Buffer): void {
    const before = this.#open.get(key);
    if (kind === "D" && before !== undefined) before.inputBytes += payload.length;
    if (kind === "E" && before !== undefined) before.inputEnded = true;
    if (kind !== "R") return;
    const asked: Asked = {
      key,
      body: JSON.parse(payload.toString("utf8")),
      inputBytes: 0,
      inputEnded: false,
      answer: (value) => this.say("A", key, Buffer.from(JSON.stringify(value))),
      take: (bytes) => {
        const room = Buffer.alloc(4);
        room.writeUInt32LE(bytes);
        this.say("W", key, room);
      },
    };
    this.#open.set(key, asked);
    this.#onRequest(asked);
  }

  /** A frame, in one of Docker's own. */
  say(kind: string, key: number, payload: Buffer): void {
    const header = Buffer.alloc(8 + 9);
    header[0] = 1;
    header.writeUInt32BE(9 + payload.length, 4);
    header.writeUInt32LE(payload.length, 8);
    header.write(kind, 12, "latin1");
    header.writeUInt32LE(key, 13);
    this.push(Buffer.concat([header, payload]));
  }
}
