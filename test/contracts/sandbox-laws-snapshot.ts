import assert from "node:assert/strict";
import type { Snapshot } from "../../core/env.ts";
import { SnapshotError } from "../../core/errors.ts";
import { alone, type SandboxLaw, shared } from "./sandbox-lab.ts";

/** What a snapshot is, and how long it lives. */
export const snapshotLaws: Readonly<Record<string, SandboxLaw>> = {
  "a snapshot of an unchanged sandbox is the same snapshot": shared(async (place, lab) => {
    await place.write("file", "one");
    const first = await lab.snapshot(place);
    assert.deepEqual(await lab.snapshot(place), first);
    await place.read("file");
    assert.deepEqual(await lab.snapshot(place), first);
  }),

  "after a command that changed nothing it is the same snapshot": shared(async (place, lab) => {
    await place.write("file", "one");
    const first = await lab.snapshot(place);
    await place.text("ls; cat file; grep -c two file || true");
    assert.deepEqual(await lab.snapshot(place), first);
  }),

  "a snapshot of a changed sandbox is another one": alone(async (place, lab) => {
    await place.text("echo one > file; echo x > tool; mkdir folder; echo gone > gone");
    const changes = [
      "printf 'two\\n' > file",
      "chmod 755 tool",
      "rm gone",
      "mv file moved",
      "rmdir folder",
      "ln -s moved link",
      ": > empty",
    ];
    let last = await lab.snapshot(place);
    for (const change of changes) {
      await place.text(change);
      const next = await lab.snapshot(place);
      assert.notDeepEqual(next, last, `after ${change}`);
      last = next;
    }
    await place.write("moved", "2wo\n");
    const written = await lab.snapshot(place);
    assert.notDeepEqual(written, last, "after writeFile");
    await place.run("export CONTRACT_A=1", { keepShell: true });
    assert.notDeepEqual(await lab.snapshot(place), written, "after keepShell");
    assert.equal(await (await lab.fork(place, last)).text("cat moved"), "two\n");
  }),

  "a snapshot is plain JSON and survives it, in another sandbox of the backend too": shared(
    async (place, lab) => {
      await place.write("file", "one");
      const snapshot = await lab.snapshot(place);
      const copy = JSON.parse(JSON.stringify(snapshot)) as Snapshot;
      assert.deepEqual(copy, snapshot);
      assert.equal(await (await lab.fork(place, copy)).read("file"), "one");
      const other = await lab.open();
      const fork = await lab.fork(other, copy);
      assert.equal(await fork.read("file"), "one");
      assert.equal(await (await lab.fork(fork, copy)).read("file"), "one");
      assert.deepEqual(copy, snapshot, "forking changed the snapshot");
    },
  ),

  "one snapshot forks many times, also at once": shared(async (place, lab) => {
    await place.write("file", "one");
    const snapshot = await lab.snapshot(place);
    const forks = await Promise.all([1, 2, 3, 4].map(() => lab.fork(place, snapshot)));
    const marks = forks.map(async (fork, index) => {
      await fork.text(`cat file > copy; printf ${index} >> copy; printf ${index} > file`);
      return (await fork.read("copy")) + (await fork.read("file"));
    });
    assert.deepEqual(await Promise.all(marks), ["one00", "one11", "one22", "one33"]);
    assert.equal(await place.read("file"), "one");
  }),

  "snapshots are released in any order, and forks live on": shared(async (place, lab) => {
    await place.write("file", "one");
    const first = await lab.snapshot(place);
    const fork = await lab.fork(place, first);
    await fork.write("file", "two");
    const second = await lab.snapshot(fork);
    const grandchild = await lab.fork(fork, second);
    await grandchild.write("file", "three");
    const third = await lab.snapshot(grandchild);

    await place.box.release(second);
    await place.box.release(first);
    assert.equal(await place.read("file"), "one");
    assert.equal(await fork.text("cat file; echo more > more"), "two");
    assert.equal(await grandchild.text("cat file; echo more > more"), "three");
    assert.equal(await (await lab.fork(fork)).text("cat file more"), "twomore\n");
    assert.equal(await (await lab.fork(place, third)).read("file"), "three");
    await grandchild.box.release(third);
    assert.equal(await (await lab.fork(grandchild)).text("cat file more"), "threemore\n");
  }),

  "a released snapshot cannot be forked, and releasing twice is fine": shared(async (place, lab) => {
    await place.write("file", "one");
    const snapshot = await lab.snapshot(place);
    const copy = JSON.parse(JSON.stringify(snapshot)) as Snapshot;
    await place.box.release(snapshot);
    await place.box.release(copy);
    for (const released of [snapshot, copy])
      await assert.rejects(async () => place.box.fork(released), SnapshotError);
  }),

  "an unchanged sandbox whose snapshot was released gives one that can be forked": shared(
    async (place, lab) => {
      await place.write("file", "one");
      const snapshot = await lab.snapshot(place);
      await place.box.release(snapshot);
      const fork = await lab.fork(place);
      assert.equal(await fork.read("file"), "one");
      const own = await lab.snapshot(fork);
      await fork.box.release(own);
      assert.equal(await (await lab.fork(fork)).read("file"), "one");
    },
  ),

  "what is no snapshot of the backend is a SnapshotError": shared(async (place, lab) => {
    const own = await lab.snapshot(place);
    const mangled = Object.entries(own).map(([key, value]) => [
      key,
      typeof value === "string" ? "odd" : value,
    ]);
    for (const foreign of [{}, { kind: "no such kind" }, Object.fromEntries(mangled) as Snapshot])
      await assert.rejects(async () => place.box.fork(foreign), SnapshotError, JSON.stringify(foreign));
  }),

  "closing a sandbox leaves its snapshots and forks alone": alone(async (place, lab) => {
    await place.write("file", "one");
    const other = await lab.open();
    const snapshot = await lab.snapshot(place);
    const fork = await lab.fork(place, snapshot);
    await place.box.close();
    assert.equal(await fork.text("cat file; echo more > more"), "one");
    const [child, late] = [await lab.fork(fork), await lab.fork(other, snapshot)];
    await fork.box.close();
    assert.equal(await child.text("cat file more"), "onemore\n");
    assert.equal(await late.text("cat file; ls"), "onefile\n");
  }),

  "a snapshot waits for the commands that run": shared(async (place, lab) => {
    const run = place.run("echo begun > log; sleep 0.2; echo done >> log");
    run.catch(() => {});
    await lab.soon(place.run("while [ ! -s log ]; do sleep 0.02; done"));
    const fork = await lab.soon(lab.fork(place));
    assert.equal(await fork.read("log"), "begun\ndone\n");
    assert.equal((await lab.soon(run)).exitCode, 0);
  }),
};
