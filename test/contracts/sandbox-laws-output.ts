import assert from "node:assert/strict";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { type SandboxLaw, shared } from "./sandbox-lab.ts";

/** What is kept of what a command wrote. */
export const outputLaws: Readonly<Record<string, SandboxLaw>> = {
  "stdout and stderr come apart": shared(async (place) => {
    for (const command of ["echo out; echo err >&2", ["sh", "-c", "echo out; echo err >&2"]]) {
      const { stdout, stderr } = await place.run(command);
      assert.deepEqual([stdout.text, stderr.text], ["out\n", "err\n"]);
    }
  }),

  "/dev/stdout and /dev/stderr can be opened": shared(async (place) => {
    const { stdout, stderr } = await place.run("echo out > /dev/stdout; echo err > /dev/stderr");
    assert.deepEqual([stdout.text, stderr.text], ["out\n", "err\n"]);
  }),

  "merged streams keep the order of writing": shared(async (place) => {
    const script = "i=0; while [ $i -lt 40 ]; do echo out $i; echo err $i >&2; i=$((i+1)); done";
    const expected = Array.from({ length: 40 }, (_, i) => `out ${i}\nerr ${i}\n`).join("");
    for (const command of [script, ["sh", "-c", script]]) {
      const { stdout, stderr } = await place.run(command, { merge: true });
      assert.equal(stdout.text, expected);
      assert.equal(stderr.bytes.length, 0);
    }
  }),

  "bytes that are no UTF-8 come out as they are, NULs too": shared(async (place) => {
    const { stdout, stderr } = await place.run(
      "print() { printf '\\377\\000a\\376\\303'; }; print; print >&2",
    );
    for (const { bytes, text } of [stdout, stderr]) {
      assert.deepEqual([...bytes], [0xff, 0, 0x61, 0xfe, 0xc3]);
      assert.equal(text, "\ufffd\0a\ufffd\ufffd");
    }
  }),

  "a character that comes in two pieces is one character": shared(async (place) => {
    const script = "printf 'a\\303'; sleep 0.1; printf '\\251\\360\\237'; sleep 0.1; printf '\\230\\200'";
    assert.equal(await place.text(script), "aé😀");
  }),

  "an output of just the limit is whole, and one more byte is cut": shared(async (place) => {
    const whole = (await place.run("printf 0123456789", { outputBytes: 10 })).stdout;
    assert.deepEqual([whole.text, whole.omittedBytes], ["0123456789", 0]);
    const { stdout, stderr } = await place.run("printf 0123456789X; printf err >&2", { outputBytes: 10 });
    assert.equal(Buffer.from(stdout.bytes).toString(), "012346789X");
    assert.equal(stdout.omittedBytes, 1);
    assert.match(stdout.text, /^01234\n.*1 bytes left out.*\n6789X$/);
    assert.deepEqual([stderr.text, stderr.omittedBytes], ["err", 0]);
  }),

  "nothing is kept if the limit is 0": shared(async (place) => {
    const { stdout, exitCode } = await place.run("printf 0123456789; exit 5", { outputBytes: 0 });
    assert.deepEqual([exitCode, stdout.bytes.length, stdout.omittedBytes], [5, 0, 10]);
  }),

  "a large output is cut in flat memory": shared(async (place, lab) => {
    const { largeBytes = 50_000_000 } = lab.contract;
    const script = `printf start; head -c ${largeBytes} /dev/zero | tr '\\0' x; printf end`;
    const memory = new MemoryWatch();
    const { stdout, exitCode } = await place.run(script, { outputBytes: 100_000 });
    const grownBytes = memory.stop();
    assert.equal(exitCode, 0);
    assert.equal(stdout.bytes.length, 100_000);
    assert.equal(stdout.omittedBytes, largeBytes + 8 - 100_000);
    assert.ok(stdout.text.startsWith("startxxx"), "the head is missing");
    assert.ok(stdout.text.endsWith("xxxend"), "the tail is missing");
    assert.ok(grownBytes < 30_000_000, `${grownBytes} more bytes were in use`);
  }),

  "an output without an end is cut at the time-out": shared(async (place, lab) => {
    const timeoutMs = lab.ms(300);
    const options = { timeoutMs, outputBytes: 1000 };
    const { stdout, timedOut } = await lab.soon(place.run("tr '\\0' x < /dev/zero", options), timeoutMs);
    assert.equal(timedOut, true);
    assert.equal(stdout.bytes.length, 1000);
    assert.ok(stdout.omittedBytes > 0);
  }),

  "output comes whole although the command ends at once": shared(async (place) => {
    for (const size of [1, 5000, 60_000, 300_000])
      assert.equal((await place.run(["head", "-c", String(size), "/dev/zero"])).stdout.bytes.length, size);
  }),
};

/** The most memory that was in use, garbage apart, beyond what was in use at the start. */
class MemoryWatch {
  readonly #collect: () => void;
  #timer: NodeJS.Timeout;
  readonly #start: number;
  #most = 0;

  constructor() {
    setFlagsFromString("--expose-gc");
    this.#collect = runInNewContext("gc") as () => void;
    this.#start = this.#used();
    this.#timer = setTimeout(() => this.#again(), 30);
  }

  #used(): number {
    this.#collect();
    this.#collect(); // Buffers that the first found unused are given back by the second.
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  }

  /** Looks for at most half of the time. */
  #again(): void {
    const began = performance.now();
    this.#look();
    this.#timer = setTimeout(() => this.#again(), Math.max(30, performance.now() - began));
  }

  #look(): void {
    this.#most = Math.max(this.#most, this.#used() - this.#start);
  }

  stop(): number {
    clearTimeout(this.#timer);
    this.#look();
    return this.#most;
  }
}
