import { Duplex } from "node:stream";
import type Docker from "dockerode";
import { afterEach, expect, test, vi } from "vitest";
import { plainRequest } from "../../../../core/sandbox/docker/plain.ts";

afterEach(() => {
  vi.useRealTimers();
});

/** A container whose command ends when a kill comes through, and whose first kills do not. */
class FakeContainer {
  readonly id = "container1";
  readonly modem: object = { demuxStream: (stream: Duplex) => stream.resume() };
  kills = 0;
  removed = 0;
  readonly #failures: number;
  readonly #main = silent();
  #isOver = false;

  constructor(failures: number) {
    this.#failures = failures;
  }

  async exec({ Cmd }: { readonly Cmd: readonly string[] }): Promise<object> {
    const isMain = Cmd.includes("sleep 100");
    const isKill = Cmd[2]!.includes("kill -9");
    if (isKill && this.kills++ < this.#failures) throw new Error("no process can be made");
    if (isKill) this.#end();
    const stream = isMain ? this.#main : silent();
    if (!isMain) stream.push(null);
    return {
      start: async () => stream,
      inspect: async () => ({ Running: isMain && !this.#isOver, ExitCode: 0 }),
    };
  }

  async remove(): Promise<void> {
    this.removed++;
    this.#end();
  }

  #end(): void {
    this.#isOver = true;
    this.#main.push(null);
  }
}

/** A stream that takes anything and says nothing. */
function silent(): Duplex {
  return new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() });
}

async function timeOut(container: FakeContainer): Promise<unknown> {
  vi.useFakeTimers();
  const request = { script: "sleep 100", timeoutMs: 1000 };
  const asked = plainRequest(
    container as unknown as Docker.Container,
    undefined,
    request,
    Buffer.of(),
    () => {},
  );
  await vi.advanceTimersByTimeAsync(15_000);
  return (await asked).answer.timedOut;
}

test("a kill at a time-out that fails is tried again", async () => {
  const container = new FakeContainer(2);
  expect(await timeOut(container)).toBe(true);
  expect([container.kills, container.removed]).toEqual([3, 0]);
});

test("a command that cannot be killed goes with its container", async () => {
  const container = new FakeContainer(Number.POSITIVE_INFINITY);
  await timeOut(container);
  expect([container.kills, container.removed]).toEqual([3, 1]);
});
