import assert from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";
import type { Snapshot } from "../../core/env.ts";
import type { Command, ExecOptions, ExecResult, Sandbox } from "../../core/sandbox/sandbox.ts";

/** What an author says about a backend so that the laws can be tried on it. */
export interface SandboxContract {
  /** A fresh sandbox; the laws close it. */
  readonly make: () => Promise<Sandbox>;
  /** Laws that this backend cannot keep: name of the law to the reason in words. */
  readonly skip?: Readonly<Record<string, string>>;
  /** Kills a sandbox from outside, as an operator or the kernel would. @default that law is skipped */
  readonly kill?: (sandbox: Sandbox) => Promise<void>;
  /** Absolute, writable, part of every snapshot; made if it is missing. @default "/tmp/contract" */
  readonly folder?: string | ((sandbox: Sandbox) => string);
  /** A folder inside, on a filesystem that 16 MiB do not fit on. @default that law is skipped */
  readonly fullDisk?: string;
  /** Commands that are run at once. @default 100 */
  readonly numCommands?: number;
  /** Size of a large output. @default 50_000_000 */
  readonly largeBytes?: number;
  /** Every wait and every limit is multiplied by it: for a slow machine. @default 1 */
  readonly timeScale?: number;
}

/** Rejects if the backend breaks it. */
export type SandboxLaw = (contract: SandboxContract) => Promise<void>;

/** A sandbox and the folder in it that belongs to one law. */
export class Place {
  readonly box: Sandbox;
  readonly folder: string;

  constructor(box: Sandbox, folder: string) {
    this.box = box;
    this.folder = folder;
  }

  path(name: string): string {
    return `${this.folder}/${name}`;
  }

  /** Runs in the folder. */
  run(command: Command, options: ExecOptions = {}): Promise<ExecResult> {
    return this.box.exec(command, { cwd: this.folder, ...options });
  }

  /** What a command that must succeed wrote. */
  async text(command: Command, options: ExecOptions = {}): Promise<string> {
    const { exitCode, timedOut, stdout, stderr } = await this.run(command, options);
    assert.equal(timedOut, false, `timed out: ${command}`);
    assert.equal(exitCode, 0, `exit code ${exitCode} of ${command}: ${stderr.text}`);
    return stdout.text;
  }

  write(name: string, content: string | Uint8Array): Promise<void> {
    return this.box.writeFile(this.path(name), content);
  }

  async read(name: string): Promise<string> {
    return Buffer.from(await this.box.readFile(this.path(name))).toString("utf8");
  }
}

/** What a law works with: opens sandboxes, and frees them and their snapshots when the law is over. */
export class Lab {
  readonly contract: SandboxContract;
  readonly #subfolder: string;
  readonly #places: Place[] = [];
  readonly #snapshots: Snapshot[] = [];

  constructor(contract: SandboxContract, subfolder: string) {
    this.contract = contract;
    this.#subfolder = subfolder;
  }

  ms(ms: number): number {
    return Math.round(ms * (this.contract.timeScale ?? 1));
  }

  pause(ms: number): Promise<void> {
    return wait(this.ms(ms));
  }

  /** Rejects if it takes more than `afterMs` and three seconds. */
  async soon<T>(promise: Promise<T>, afterMs = 0): Promise<T> {
    const limitMs = afterMs + this.ms(3000);
    const end = new AbortController();
    const late = wait(limitMs, undefined, { signal: end.signal }).then(() => {
      throw new Error(`expected an end within ${limitMs} ms`);
    });
    late.catch(() => {});
    promise.catch(() => {});
    try {
      return await Promise.race([promise, late]);
    } finally {
      end.abort();
    }
  }

  /** A fresh sandbox, or one that is there already. */
  async open(box?: Sandbox): Promise<Place> {
    const place = this.#place(box ?? (await this.contract.make()));
    await place.box.exec(["mkdir", "-p", place.folder]);
    return place;
  }

  async snapshot({ box }: Place): Promise<Snapshot> {
    const snapshot = await box.snapshot();
    this.#snapshots.push(snapshot);
    return snapshot;
  }

  /** A fork of a snapshot, or of the sandbox as it is now. */
  async fork(by: Place, snapshot?: Snapshot): Promise<Place> {
    return this.#place(await by.box.fork(snapshot ?? (await this.snapshot(by))));
  }

  #place(box: Sandbox): Place {
    const { folder = "/tmp/contract" } = this.contract;
    const place = new Place(box, `${typeof folder === "string" ? folder : folder(box)}/${this.#subfolder}`);
    this.#places.push(place);
    return place;
  }

  /** Releases every snapshot, by whichever sandbox still can, and closes all but `kept`. */
  async close(kept?: Sandbox): Promise<void> {
    await Promise.all(this.#snapshots.map((snapshot) => this.#release(snapshot)));
    const boxes = this.#places.map(({ box }) => box).filter((box) => box !== kept);
    await Promise.all(boxes.map((box) => box.close()));
  }

  async #release(snapshot: Snapshot): Promise<void> {
    for (const { box } of this.#places) {
      const done = await box.release(snapshot).then(
        () => true,
        () => false,
      );
      if (done) return;
    }
  }
}

/** A law on a sandbox of its own: it may close it or change its shell state. */
export function alone(law: (place: Place, lab: Lab) => Promise<void>): SandboxLaw {
  return async (contract) => {
    const lab = new Lab(contract, "law");
    try {
      await law(await lab.open(), lab);
    } finally {
      await lab.close();
    }
  };
}

interface Spare {
  box?: Sandbox;
  numLaws: number;
}

const spares = new WeakMap<SandboxContract, Spare>();

/**
 * A law that leaves the sandbox as good as it was, but for a folder. Between `keepSpare` and `closeSpare` the next
 * such law gets the same sandbox, since to start one may be slow; one in which a law failed is thrown away.
 */
export function shared(law: (place: Place, lab: Lab) => Promise<void>): SandboxLaw {
  return async (contract) => {
    const spare = spares.get(contract) ?? { numLaws: 0 };
    const lab = new Lab(contract, `law-${spare.numLaws++}`);
    const { box } = spare;
    delete spare.box;
    let kept: Sandbox | undefined;
    try {
      const place = await lab.open(box);
      await law(place, lab);
      if (spares.has(contract)) kept = place.box;
    } finally {
      await lab.close(kept);
      if (kept) spare.box = kept;
    }
  };
}

export function keepSpare(contract: SandboxContract): void {
  spares.set(contract, { numLaws: 0 });
}

export async function closeSpare(contract: SandboxContract): Promise<void> {
  const box = spares.get(contract)?.box;
  spares.delete(contract);
  await box?.close();
}
