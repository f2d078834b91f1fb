import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { ForkGymError } from "../core/errors.ts";
import type { Json, JsonObject } from "../core/json.ts";

/** There is no peer to compare with; the message says why and what to do. */
export class PeerMissingError extends ForkGymError {
  override readonly name = "PeerMissingError";
}

const ANSWER_MS = 60_000;
const HOW = "name a Python that has gymnasium with --python PATH or FORKGYM_PYTHON";

/** A Python process that runs one measured block per request: a JSON line goes in, a JSON line comes out. */
export class GymnasiumPeer {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  readonly #gone: Promise<void>;
  #stderr = "";
  #versions: JsonObject = {};

  private constructor(python: string, script: string) {
    const child = spawn(python, ["-u", script], { stdio: "pipe" });
    this.#child = child;
    this.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-10_000);
    });
    // Writing to a process that died is told by the missing answer.
    child.stdin.on("error", () => {});
    this.#gone = new Promise((resolve) => {
      child.once("close", () => resolve());
      child.once("error", (error) => {
        this.#stderr += error.message;
        resolve();
      });
    });
  }

  /** @throws {PeerMissingError} if no Python was named, it does not start, or it has no gymnasium. */
  static async start(python: string | undefined): Promise<GymnasiumPeer> {
    if (python === undefined || python === "") throw new PeerMissingError(`no Python was named; ${HOW}`);
    const script = peerScript();
    if (script === undefined) {
      throw new PeerMissingError("bench/peers/gymnasium_peer.py is not here; run the bench in a checkout");
    }
    const peer = new GymnasiumPeer(python, script);
    try {
      peer.#versions = (await peer.#answer()) as JsonObject;
      return peer;
    } catch (error) {
      await peer.close();
      throw new PeerMissingError(`${(error as Error).message}; ${HOW}`);
    }
  }

  /** Of Python and the packages that are measured. */
  get versions(): JsonObject {
    return this.#versions;
  }

  /** One request at a time. @throws {ForkGymError} if the peer fails, or is silent for a minute. */
  ask(request: JsonObject): Promise<Json> {
    this.#child.stdin.write(`${JSON.stringify(request)}\n`);
    return this.#answer();
  }

  /** Ends the process. Closing twice is fine. */
  async close(): Promise<void> {
    this.#child.stdin.end();
    this.#child.kill();
    await this.#gone;
  }

  async #answer(): Promise<Json> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<"late">((resolve) => {
      timer = setTimeout(() => resolve("late"), ANSWER_MS);
    });
    const next = await Promise.race([this.#lines.next(), this.#gone.then(() => undefined), late]);
    clearTimeout(timer);
    if (next === "late") throw new ForkGymError(`the peer was silent for ${ANSWER_MS / 1000} s`);
    if (next !== undefined && next.done !== true) return JSON.parse(next.value) as Json;
    await this.#gone;
    throw new ForkGymError(`the peer ended: ${this.#stderr.trim().split("\n").at(-1) || "without a word"}`);
  }
}

/** Beside the source, or in the checkout that a compiled bench (dist/bench) lies in. */
function peerScript(): string | undefined {
  return ["./peers/gymnasium_peer.py", "../../bench/peers/gymnasium_peer.py"]
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((path) => existsSync(path));
}
