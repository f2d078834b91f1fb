import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate, setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, expect, inject, onTestFinished, test } from "vitest";
import { sha256 } from "../../../core/json.ts";
import { ForeignLock, lock } from "../../../core/run/lock.ts";

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "forkgym-test-"));
  path = join(folder, "run.lock");
});
afterEach(() => rm(folder, { recursive: true }));

/** A process that holds the lock until it is killed. */
async function holder(): Promise<ChildProcess> {
  const source = join(inject("packageFolder"), "dist/core/run/lock.js");
  const script = `import { lock } from ${JSON.stringify(source)};
    await lock(${JSON.stringify(path)});
    setInterval(() => {}, 1e6);
    console.log("held");`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout!, "data");
  return child;
}

/** How many of so many at once, a little apart, get the lock; the others must be told who holds it. */
async function winners(count: number): Promise<number> {
  const results = await Promise.allSettled(
    Array.from({ length: count }, async (_, index) => {
      for (let rounds = index % 4; rounds > 0; rounds--) await setImmediate();
      return lock(path);
    }),
  );
  for (const result of results) {
    if (result.status === "rejected")
      expect(result.reason.message).toContain(`run.lock is held by process ${process.pid}`);
  }
  return results.filter(({ status }) => status === "fulfilled").length;
}

test("a lock names its process, is given back, and leaves nothing behind", async () => {
  const release = await lock(path);
  expect(await readFile(path, "utf8")).toMatch(new RegExp(`^${process.pid}( \\S+){4}\\n$`));
  expect(await readdir(folder)).toEqual(["run.lock"]);
  await expect(lock(path)).rejects.toThrow(
    `run folder: ${path} is held by process ${process.pid}, which is still running; wait for it, or choose another folder`,
  );
  expect(await readdir(folder)).toEqual(["run.lock"]);
  await release();
  expect(await readdir(folder)).toEqual([]);
  await (await lock(path))();
});

test("another process that lives keeps it, and one that was killed does not", async () => {
  const child = await holder();
  await expect(lock(path)).rejects.toThrow(`is held by process ${child.pid}, which is still running`);
  child.kill("SIGKILL");
  await once(child, "exit");
  await (await lock(path))();
});

test("of many at once exactly one gets it", async () => {
  for (let round = 0; round < 50; round++) {
    expect(await winners(8)).toBe(1);
    await rm(path);
  }
});

test("of many at once exactly one takes over from a process that is gone", async () => {
  for (let round = 0; round < 200; round++) {
    await writeFile(path, "999999999 123\n");
    expect(await winners(8)).toBe(1);
    expect(await readFile(path, "utf8")).toContain(String(process.pid));
    expect(await readdir(folder)).toEqual(["run.lock"]);
    await rm(path);
  }
});

test("a process that was killed while it took over stands in nobody's way", async () => {
  const gone = "999999999 123\n";
  await writeFile(path, gone);
  await writeFile(`${path}.${sha256(gone).slice(0, 8)}`, "999999998 456\n");
  await (await lock(path))();
  expect(await readdir(folder)).toEqual([]);
});

test.each([
  ["empty", ""],
  ["without a birth", `${process.pid}\n`],
  ["of a process that is gone", "999999999 123\n"],
  ["of a process that had the same id", `${process.pid} 1\n`],
  ["that was never one", "hello\n"],
])("a lock %s is taken over", async (_, text) => {
  await writeFile(path, text);
  await (await lock(path))();
});

test.skipIf(process.platform !== "linux")(
  "a process whose parent never asks how it ended is gone",
  async () => {
    const parent = spawn("sh", ["-c", "sleep 1000 & echo $!; exec sleep 1000"], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void parent.kill("SIGKILL"));
    const [line] = await once(parent.stdout, "data");
    const pid = Number(String(line));
    onTestFinished(() => void killed(pid));
    const stat = async () => (await readFile(`/proc/${pid}/stat`, "utf8")).split(") ")[1]!.split(" ");
    await writeFile(path, `${pid} ${(await stat())[19]}\n`);
    await expect(lock(path)).rejects.toThrow(`is held by process ${pid}`);
    // The shell must have become the sleep that never waits for its children.
    while ((await readFile(`/proc/${parent.pid}/comm`, "utf8")) !== "sleep\n") await setTimeout(2);
    killed(pid);
    while ((await stat())[0] !== "Z") await setTimeout(2);
    await (await lock(path))();
  },
);

function killed(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It is gone already.
  }
}

test("a folder that is not there is an error, not a wait", async () => {
  await expect(lock(join(folder, "no/run.lock"))).rejects.toThrow("ENOENT");
});

test.each([
  [2, "another host"],
  [3, "before a reboot of the host"],
  [4, "in another container"],
])(
  "a lock whose field %i differs is refused with how to remove it, be its process here or not: %s",
  async (field, where) => {
    await lock(path);
    const own = (await readFile(path, "utf8")).trim().split(" ");
    for (const pid of [String(process.pid), "999999999"]) {
      const text = `${[pid, ...own.slice(1)].map((word, at) => (at === field ? "elsewhere" : word)).join(" ")}\n`;
      await writeFile(path, text);
      const host = field === 2 ? "elsewhere" : own[2];
      const refused = lock(path);
      await expect(refused).rejects.toBeInstanceOf(ForeignLock);
      await expect(refused).rejects.toThrow(
        `run folder: ${path} was taken by process ${pid} on host ${host} (${where}), which cannot be seen from here ` +
          `(host ${own[2]}); wait for it, or, if it is gone, remove the lock: rm ${path}`,
      );
      expect(await readFile(path, "utf8")).toBe(text);
      expect(await readdir(folder)).toEqual(["run.lock"]);
    }
  },
);

test("a lock of an older version, with a pid and a birth alone, holds and is taken over as ever", async () => {
  await lock(path);
  const [pid, born] = (await readFile(path, "utf8")).split(" ");
  await writeFile(path, `${pid} ${born}\n`);
  await expect(lock(path)).rejects.toThrow(`is held by process ${pid}, which is still running`);
  await writeFile(path, `${pid} 1\n`);
  await (await lock(path))();
});
