import { afterEach, describe, expect, test, vi } from "vitest";
import { SandboxError } from "../../../../core/errors.ts";
import { startCommit } from "../../../../core/sandbox/docker/commit.ts";
import { startOverlay } from "../../../../core/sandbox/docker/overlay.ts";
import type { Sandbox } from "../../../../core/sandbox/sandbox.ts";
import { type Asked, DONE, FakeDaemon } from "./fake-daemon.ts";

const SHELL = { cwd: "/", env: {} };
const MACHINE = { image: "base", overlay: false };

afterEach(() => {
  vi.useRealTimers();
});

/** A daemon whose branches and snapshots have numbers, and in which commands do nothing. */
function overlayDaemon(): FakeDaemon {
  const daemon = new FakeDaemon();
  daemon.onRequest = (asked) => answerOverlay(asked);
  return daemon;
}

function answerOverlay({ key, body, answer }: Asked, changed = true): void {
  if (body.op === "exec") answer(DONE);
  else if (body.op === "create") answer({ branch: key });
  else if (body.op === "freeze") answer({ snapshot: key, changed });
  else answer({});
}

describe("commit", () => {
  const open = (daemon: FakeDaemon): Promise<Sandbox> => startCommit(daemon.docker, MACHINE, SHELL);

  test("a snapshot after one that failed has what was written before it", async () => {
    const daemon = new FakeDaemon();
    const box = await open(daemon);
    const first = await box.snapshot();
    await box.writeFile("/a", "2");
    const works = daemon.onCommit;
    daemon.onCommit = () => {
      throw new Error("no space left on device");
    };
    await expect(box.snapshot()).rejects.toThrow(
      new SandboxError("docker: no snapshot, committing the container failed: no space left on device"),
    );
    daemon.onCommit = works;
    const second = await box.snapshot();
    expect(second).not.toEqual(first);
    expect(await box.snapshot()).toEqual(second);
    for (const each of [first, second, second]) await box.release(each);
    await box.close();
  });
});

describe("overlay", () => {
  const open = (daemon: FakeDaemon): Promise<Sandbox> => startOverlay(daemon.docker, MACHINE, SHELL);

  test("a command that begins while a snapshot is taken is in the next", async () => {
    const daemon = overlayDaemon();
    const box = await open(daemon);
    let frozen = () => {};
    daemon.onRequest = (asked) => {
      if (asked.body.op === "freeze") frozen = () => answerOverlay(asked);
      else answerOverlay(asked);
    };
    const taking = box.snapshot();
    await vi.waitFor(() => expect(daemon.asked.at(-1)!.body.op).toBe("freeze"));
    const running = box.exec("echo 2 > /a");
    frozen();
    const [first] = [await taking, await running];
    daemon.onRequest = (asked) => answerOverlay(asked);
    const second = await box.snapshot();
    expect(second).not.toEqual(first);
    await box.release(first);
    await box.release(second);
    await box.close();
    expect(daemon.containers.size).toBe(0);
  });

  test("a snapshot after one that failed asks again", async () => {
    const daemon = overlayDaemon();
    const box = await open(daemon);
    const first = await box.snapshot();
    await box.writeFile("/a", "2");
    daemon.onRequest = ({ answer }) => answer({ error: "server", message: "no space left on device" });
    await expect(box.snapshot()).rejects.toThrow(SandboxError);
    daemon.onRequest = (asked) => answerOverlay(asked);
    const second = await box.snapshot();
    expect(second).not.toEqual(first);
    await box.release(first);
    await box.release(second);
    await box.close();
    expect(daemon.containers.size).toBe(0);
  });

  test("an unchanged branch whose snapshot is released meanwhile gives one that can be forked", async () => {
    const daemon = overlayDaemon();
    const box = await open(daemon);
    const first = await box.snapshot();
    await box.exec("true");
    daemon.onRequest = (asked) => {
      if (asked.body.op !== "freeze") answerOverlay(asked);
      else void box.release(first).then(() => answerOverlay(asked, false));
    };
    const second = await box.snapshot();
    await (await box.fork(second)).close();
    await box.release(second);
    await box.close();
    expect(daemon.containers.size).toBe(0);
  });

  test("the container stays while a fork is under way, and goes when it failed", async () => {
    const daemon = overlayDaemon();
    const box = await open(daemon);
    const snapshot = await box.snapshot();
    let fail = () => {};
    daemon.onRequest = (asked) => {
      if (asked.body.op === "create") fail = () => asked.answer({ error: "server", message: "no room" });
      else answerOverlay(asked);
    };
    const forking = box.fork(snapshot);
    forking.catch(() => {});
    await vi.waitFor(() => expect(daemon.asked.at(-1)!.body.op).toBe("create"));
    await box.release(snapshot);
    await box.close();
    expect(daemon.containers.size).toBe(1);
    fail();
    await expect(forking).rejects.toThrow("docker: no room");
    await vi.waitFor(() => expect(daemon.containers.size).toBe(0));
  });

  test("a command that is never answered breaks the sandbox a minute after its time-out", async () => {
    const daemon = overlayDaemon();
    const box = await open(daemon);
    daemon.onRequest = () => {};
    vi.useFakeTimers();
    const running = box.exec("sleep 100", { timeoutMs: 5000 });
    const failing = expect(running).rejects.toThrow(
      /^docker: container container\d+ is gone: it does not answer: a command is not over 60 s after its `timeoutMs` of 5000$/,
    );
    await vi.advanceTimersByTimeAsync(64_900);
    expect(daemon.containers.size).toBe(1);
    await vi.advanceTimersByTimeAsync(200);
    await failing;
    await vi.advanceTimersByTimeAsync(100);
    expect(daemon.containers.size).toBe(0);
    await expect(box.exec("true")).rejects.toThrow(SandboxError);
  });

  test("of a large input no more is sent than four megabytes ahead of what was taken", async () => {
    const daemon = overlayDaemon();
    const box = await open(daemon);
    daemon.onRequest = () => {};
    const writing = box.writeFile("/big", new Uint8Array(10_000_000));
    await vi.waitFor(() => expect(daemon.asked.at(-1)!.inputBytes).toBe(4 << 20));
    const asked = daemon.asked.at(-1)!;
    asked.take(1 << 20);
    await vi.waitFor(() => expect(asked.inputBytes).toBe(5 << 20));
    asked.take(4 << 20);
    await vi.waitFor(() => expect(asked.inputBytes).toBe(9 << 20));
    expect(asked.inputEnded).toBe(false);
    asked.take(4 << 20);
    await vi.waitFor(() => expect([asked.inputBytes, asked.inputEnded]).toEqual([10_000_000, true]));
    asked.answer(DONE);
    await writing;
    daemon.onRequest = (asked) => answerOverlay(asked);
    await box.close();
  });
});
