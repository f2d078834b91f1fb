import { setTimeout } from "node:timers/promises";
import { expect } from "vitest";
import { createRng } from "../../../../core/rng.ts";
import { dockerTest, leftOf, startOwner } from "./docker.ts";

/** Forks in all; half of the kills hit containers, half the processes that own them. */
const FORKS = Number(process.env.FORKGYM_SOAK ?? 100);
const KILLS = Math.max(4, Math.round(FORKS / 50));
const SEED = Number(process.env.FORKGYM_SOAK_SEED ?? Date.now() % 1e6);

/**
 * Forks, writes, snapshots, releases and closes at random in up to three containers at once, and kills containers
 * now and then. Prints a line per fork, and at the end how much memory it took since a fifth of them were made.
 */
const program = (seed: number, forks: number, kills: number) => `
  import Docker from "dockerode";
  const { createRng } = await import(new URL("../../rng.js", backend).href);
  const docker = new Docker();
  const rng = createRng(${seed});
  const pick = (list) => list[rng.below(list.length)];
  const roots = [];
  const grow = async () => {
    const box = await open({ engine: "overlay" });
    await box.exec("echo 0 > /n");
    const snapshot = await box.snapshot();
    roots.push({ container: snapshot.container, boxes: [{ box, text: "0" }], saved: [{ snapshot, text: "0" }] });
  };
  const lost = (error) => { if (error.name !== "SandboxError") throw error; };
  const fell = async (root) => {
    const { boxes, saved } = root;
    const { box } = boxes[0];
    await docker.getContainer(root.container).kill();
    await box.exec("true").then(() => { throw new Error("a killed container works") }, lost);
    for (const { snapshot } of saved) await box.release(snapshot).catch(lost);
    for (const { box } of boxes) await box.close().catch(lost);
    roots.splice(roots.indexOf(root), 1);
  };
  const rss = () => { for (let i = 0; i < 3; i++) gc(); return process.memoryUsage().rss; };
  const killAt = new Set(Array.from({ length: ${kills} }, (_, at) => Math.floor((at + rng.next()) * ${forks} / ${Math.max(1, kills)})));
  let early = 0;
  for (let fork = 0; fork < ${forks}; fork++) {
    if (roots.length === 0 || (roots.length < 3 && rng.below(10) === 0)) await grow();
    const root = pick(roots);
    const by = pick(root.boxes).box;
    const { snapshot, text } = pick(root.saved);
    const box = await by.fork(snapshot);
    const was = (await box.exec("cat /n")).stdout.text.trim();
    if (was !== text) throw new Error("expected " + text + ", got " + was);
    const child = { box, text: String(fork) };
    root.boxes.push(child);
    say("fork " + fork);
    await box.writeFile("/n", child.text + "\\n");
    if (rng.below(2) === 0) root.saved.push({ snapshot: await box.snapshot(), text: child.text });
    while (root.boxes.length > 1 + rng.below(8)) await root.boxes.splice(rng.below(root.boxes.length), 1)[0].box.close();
    while (root.saved.length > 1 + rng.below(8)) {
      const [{ snapshot }] = root.saved.splice(rng.below(root.saved.length), 1);
      await pick(root.boxes).box.release(snapshot);
    }
    if (killAt.has(fork)) await fell(root);
    if (fork === Math.floor(${forks} / 5)) early = rss();
  }
  const late = rss();
  for (const { boxes, saved } of roots) {
    for (const { snapshot } of saved) await boxes[0].box.release(snapshot);
    for (const { box } of boxes) await box.close();
  }
  say("grew " + (late - early));
  say("listens " + process.listenerCount("SIGINT"));`;

dockerTest(
  `${FORKS} forks and ${KILLS} kills in random order leave nothing (seed ${SEED})`,
  async () => {
    console.log(`FORKGYM_SOAK=${FORKS} FORKGYM_SOAK_SEED=${SEED}`);
    const rng = createRng(SEED);
    const owners = Math.floor(KILLS / 2);
    const share = Math.floor(FORKS / 2 / owners);
    const pids: number[] = [];
    for (let at = 0; at < owners; at++) {
      const child = startOwner(program(rng.below(1e9), share + 50, 0), ["--expose-gc"]);
      pids.push(child.pid);
      await child.said(`fork ${share - 1}`);
      await setTimeout(rng.below(20));
      child.process.kill("SIGKILL");
      await child.ended;
    }
    const last = startOwner(program(rng.below(1e9), FORKS - share * owners, KILLS - owners), ["--expose-gc"]);
    pids.push(last.pid);
    const { code, stderr, stdout } = await last.ended;
    expect([code, stderr]).toEqual([0, ""]);
    expect(/^listens (\d+)$/m.exec(stdout)![1]).toBe("0");
    const grew = Number(/^grew (-?\d+)$/m.exec(stdout)![1]);
    console.log(`memory grew by ${(grew / 2 ** 20).toFixed(1)} MiB`);
    expect(grew).toBeLessThan(32 * 2 ** 20);
    expect(await leftOf(pids)).toEqual([]);
  },
  60_000 + FORKS * 600,
);
