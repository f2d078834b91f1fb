import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { createRng, shuffled } from "../../../../core/rng.ts";
import { createDockerSandbox } from "../../../../core/sandbox/docker/index.ts";
import { owner } from "../../../../core/sandbox/docker/labels.ts";
import { reap } from "../../../../core/sandbox/docker/reaper.ts";
import {
  deadOwner,
  describeDocker,
  docker,
  image,
  labelled,
  leftOf,
  startOwner,
  thingsOf,
} from "./docker.ts";

const EVENTS = ["beforeExit", "exit", "SIGINT", "SIGTERM", "SIGHUP"];
const ENGINES = ["overlay", "commit"] as const;
/** Two sandboxes and two snapshots that nobody closes and releases. */
const started = (engine: string) => `
  const box = await open({ engine: "${engine}" });
  await box.exec("echo 1 > /a");
  const fork = await box.fork(await box.snapshot());
  await fork.exec("echo 2 > /a");
  await fork.snapshot();
  say("ready");`;

const listeners = () => EVENTS.map((event) => process.listenerCount(event));

describeDocker("the end of a process", () => {
  describe.each(ENGINES)("with %s", (engine) => {
    test.each([
      ["a program that is at its end", "", { code: 0 }],
      ["process.exit()", "process.exit(3)", { code: 3 }],
      ["an uncaught exception", 'setTimeout(() => { throw new Error("a bug") }, 1)', { code: 1 }],
    ])(
      "%s leaves nothing",
      async (_, end, how) => {
        const child = startOwner(started(engine) + end);
        expect(await child.ended).toMatchObject(how);
        expect(await leftOf([child.pid])).toEqual([]);
      },
      60_000,
    );

    test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
      "%s in the middle of a command leaves nothing and has its effect",
      async (signal) => {
        const child = startOwner(`${started(engine)} await box.exec("sleep 100")`);
        await child.said("ready");
        await setTimeout(50);
        child.process.kill(signal);
        // The program does not see its command fail.
        expect(await child.ended).toEqual({ code: null, signal, stdout: "ready\n", stderr: "" });
        expect(await leftOf([child.pid])).toEqual([]);
      },
      60_000,
    );
  });

  test("SIGKILL leaves no container and no volume", async () => {
    const child = startOwner(`${started("overlay")} setInterval(() => {}, 1e6)`);
    await child.said("ready");
    expect((await thingsOf(child.pid)).map((name) => name.split(" ")[0])).toEqual(["container", "volume"]);
    child.process.kill("SIGKILL");
    await child.ended;
    expect(await leftOf([child.pid])).toEqual([]);
  }, 60_000);

  test("waiting for what never comes ends like any program, with code 13", async () => {
    const child = startOwner(`${started("overlay")} await new Promise(() => {})`);
    expect(await child.ended).toMatchObject({ code: 13 });
    expect(await leftOf([child.pid])).toEqual([]);
  }, 60_000);

  test("a command that runs keeps the process alive", async () => {
    const child = startOwner(
      `${started("overlay")} box.exec("sleep 1; echo done").then(({ stdout }) => say(stdout.text))`,
    );
    expect(await child.ended).toMatchObject({ code: 0, stdout: "ready\ndone\n\n" });
  }, 60_000);

  test("an application that listens to the signal decides itself", async () => {
    const child = startOwner(`${started("commit")}
      process.on("SIGINT", async () => {
        const { stdout } = await fork.exec("cat /a");
        say("works " + stdout.text.trim());
      });
      process.on("SIGTERM", () => process.exit(4));
      setInterval(() => {}, 1e6);`);
    await child.said("ready");
    child.process.kill("SIGINT");
    expect(await child.said("works")).toBe("works 2");
    child.process.kill("SIGTERM");
    expect(await child.ended).toMatchObject({ code: 4 });
    expect(await leftOf([child.pid])).toEqual([]);
  }, 60_000);

  test("a listener of signal-exit, which defers to every other, does not keep the signal from its effect", async () => {
    const child = startOwner(`${started("commit")}
      globalThis[Symbol.for("signal-exit emitter")] = { count: 1 };
      const listener = () => {
        if (process.listeners("SIGTERM").length > 1) return;
        process.off("SIGTERM", listener);
        say("deferred");
        process.kill(process.pid, "SIGTERM");
      };
      process.on("SIGTERM", listener);
      say("set");
      setInterval(() => {}, 1e6);`);
    await child.said("set");
    child.process.kill("SIGTERM");
    expect(await child.ended).toMatchObject({ signal: "SIGTERM", stdout: "ready\nset\ndeferred\n" });
    expect(await leftOf([child.pid])).toEqual([]);
  }, 60_000);

  test("what was just being made is removed when it has come", async () => {
    const child = startOwner(`
      const box = await open({ engine: "commit" });
      await box.exec("head -c 50000000 /dev/urandom > /big");
      void box.snapshot();
      void open({ engine: "overlay" });
      void open({ engine: "commit" });
      setTimeout(() => process.exit(0), 20);`);
    expect(await child.ended).toMatchObject({ code: 0, stderr: "" });
    await setTimeout(2000);
    expect(await leftOf([child.pid])).toEqual([]);
  }, 60_000);

  test("a worker thread that ends leaves nothing, and takes nothing of another", async () => {
    const child = startOwner(`
      const { Worker } = await import("node:worker_threads");
      const box = await open({ engine: "overlay" });
      const code = \`
        import { workerData } from "node:worker_threads";
        import(workerData.backend).then(async ({ createDockerSandbox }) => {
          const box = await createDockerSandbox({ image: workerData.image, engine: "commit" });
          await box.exec("echo 1 > /a");
          await box.snapshot();
          process.exit();
        })\`;
      const thread = new Worker(code, { eval: true, workerData: { backend, image } });
      await new Promise((resolve) => thread.on("exit", resolve));
      say("thread is gone");
      const { stdout } = await box.exec("echo fine");
      say(stdout.text.trim());
      setInterval(() => {}, 1e6);`);
    await child.said("thread is gone");
    await child.said("fine");
    for (let tries = 0; (await thingsOf(child.pid)).length > 2 && tries < 50; tries++) await setTimeout(100);
    expect((await thingsOf(child.pid)).map((name) => name.split(" ")[0])).toEqual(["container", "volume"]);
    child.process.kill("SIGTERM");
    await child.ended;
    expect(await leftOf([child.pid])).toEqual([]);
  }, 60_000);

  test.each(ENGINES)(
    "%s: closing in any order leaves nothing, and nobody listens any more",
    async (engine) => {
      const run = `life-${process.pid}-${engine}`;
      for (const seed of [1, 2, 3]) {
        const before = listeners();
        const box = await createDockerSandbox({ image: image!, engine, run });
        expect(listeners()).toEqual(before.map((count) => count + 1));
        await box.exec("echo 1 > /a");
        const first = await box.snapshot();
        const fork = await box.fork(first);
        await fork.exec("echo 2 > /a");
        const second = await fork.snapshot();
        const last = await fork.fork(second);
        // A closed sandbox releases nothing, so that one is closed last.
        const ends = [
          () => box.close(),
          () => fork.close(),
          () => last.release(first),
          () => last.release(second),
        ];
        for (const end of shuffled(ends, createRng(seed))) await end();
        await last.close();
        expect(await labelled((labels) => labels["forkgym.run"] === run)).toEqual([]);
        expect(listeners()).toEqual(before);
      }
    },
    60_000,
  );

  test("releasing a snapshot leaves the one that it stands on", async () => {
    const box = await createDockerSandbox({ image: image!, engine: "commit" });
    await box.exec("echo 1 > /a");
    const first = await box.snapshot();
    const fork = await box.fork(first);
    await fork.exec("echo 2 > /a");
    const second = await fork.snapshot();
    await fork.close();
    await box.release(second);
    const again = await box.fork(first);
    expect((await again.exec("cat /a")).stdout.text).toBe("1\n");
    await again.close();
    await box.release(first);
    await box.close();
  }, 60_000);

  test("the reaper works from the sources too", async () => {
    const [dead, other] = [deadOwner(), owner()];
    const marked = (name: string, of: string) => ({
      Name: name,
      Labels: { forkgym: "volume", "forkgym.owner": of },
    });
    const name = `forkgym-reaper-${process.pid}`;
    await docker.createVolume(marked(name, dead));
    await docker.createVolume(marked(`${name}-other`, other));
    try {
      reap([docker], dead, false);
      expect(await labelled((labels) => labels["forkgym.owner"] === dead)).toEqual([]);
      expect(await labelled((labels) => labels["forkgym.owner"] === other)).toEqual([`volume ${name}-other`]);
    } finally {
      await docker.getVolume(`${name}-other`).remove();
    }
  });
});
