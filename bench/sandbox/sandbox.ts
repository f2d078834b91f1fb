import { execFileSync } from "node:child_process";
import Docker from "dockerode";
import { table } from "../../cli/tables.ts";
import { InputError } from "../../core/errors.ts";
import { createDockerSandbox } from "../../core/sandbox/docker/index.ts";
import type { Sandbox } from "../../core/sandbox/sandbox.ts";
import { median, percentile, ratioSummary } from "../statistics.ts";
import { CHANGES, type Change } from "./changes.ts";
import { PlainDocker } from "./plain.ts";
import { wasmerTimes, wasmerWorkspace } from "./wasmer.ts";

export interface SandboxBenchOptions {
  /** A local image with python3. */
  readonly image: string | undefined;
  readonly rounds: number;
  /** Fails if overlay is not so many times faster than `docker commit` + `docker run` at 100 MB. */
  readonly minRatio?: number;
  /** Fails if an overlay fork with its first command takes longer at 100 MB. */
  readonly maxForkMs?: number;
  /** Fails if a program over overlay takes longer. */
  readonly maxCommandMs?: number;
}

interface Side {
  readonly name: string;
  /** One fork with its first command; returns what cleans up, which is not timed. */
  fork(): Promise<() => Promise<void>>;
}

/** Commands in a row of which the median is taken. */
const COMMANDS = 200;
const BRANCHES = 64;

/**
 * What forking a sandbox costs: a snapshot, a fork and the first command in it, by both engines, and beside them, in
 * the same rounds, what one would do without: commit and run, replay in a fresh container, copy the folder.
 */
export async function sandboxBench({ image, rounds, ...bounds }: SandboxBenchOptions): Promise<number> {
  if (image === undefined)
    throw new InputError("sandbox: name a local image with python3: --image, or FORKGYM_IMAGE");
  const forks = [];
  for (const change of CHANGES)
    forks.push({ change: change.name, sides: await forkTimes(image, change, rounds) });
  const last = forks.at(-1)!.sides;
  const ratio = ratioSummary(last.get("overlay")!, last.get("docker commit + run")!);
  const growth = median(last.get("overlay")!) / median(forks[0]!.sides.get("overlay")!);
  const commands = {
    overlay: await operationTimes(image, "overlay"),
    commit: await operationTimes(image, "commit"),
  };
  const expansion = {
    overlay: await expansionMs(image, "overlay"),
    commit: await expansionMs(image, "commit"),
  };
  const branch = await branchCost(image);
  const wasmer = await wasmerTimes(2 * rounds);
  const rows = forks.flatMap(({ change, sides }) =>
    [...sides].map(([side, times]) => [change, side, ...spread(times)]),
  );
  const lines = [
    `sandbox: ${rounds} rounds, node ${process.versions.node}; a fork with its first command, in ms`,
    table(["changed before", "how", "median", "p10 to p90"], rows),
    `overlay at 100 MB: ${ratio.median.toFixed(0)}x faster than docker commit + run (p10 to p90 ${ratio.p10.toFixed(0)} to ${ratio.p90.toFixed(0)}), ${growth.toFixed(2)} times its own figure at no change`,
    table(
      ["one after another, in ms", "over", "median", "p10 to p90"],
      Object.entries(commands).flatMap(([engine, all]) =>
        [...all].map(([name, times]) => [name, engine, ...spread(times)]),
      ),
    ),
    `expanding 3 deep with M = 2, to 8 branches: overlay ${expansion.overlay.toFixed(0)} ms, commit ${expansion.commit.toFixed(0)} ms`,
    `${BRANCHES} overlay branches alive: ${mega(branch.memoryBytes)} MB of memory and ${mega(branch.diskBytes)} MB of disk each, 10 kB changed in each`,
    ...(typeof wasmer === "string"
      ? [`wasmer: not measured, ${wasmer}`]
      : [
          table(
            ["wasmer, a workspace of 1,600 files and 32 MB, in ms", "median", "p10 to p90"],
            [
              ["snapshot taken: a fork", ...spread(wasmer.fork)],
              ["its first shell command", ...spread(wasmer.firstShell)],
              ["a later one", ...spread(wasmer.laterShell)],
              ["its first python3", ...spread(wasmer.firstPython)],
              ["a later one", ...spread(wasmer.laterPython)],
            ],
          ),
          `a fork that has run nothing takes ${(wasmer.bytesPerFork / 1000).toFixed(1)} kB`,
        ]),
    JSON.stringify({
      bench: "sandbox",
      unit: "ms",
      forks: Object.fromEntries(
        forks.map(({ change, sides }) => [
          change,
          Object.fromEntries([...sides].map(([side, times]) => [side, summary(times)])),
        ]),
      ),
      ratio,
      growth,
      commands: Object.fromEntries(
        Object.entries(commands).map(([engine, all]) => [
          engine,
          Object.fromEntries([...all].map(([name, times]) => [name, summary(times)])),
        ]),
      ),
      expansion,
      branch,
      wasmer:
        typeof wasmer === "string"
          ? null
          : {
              fork: summary(wasmer.fork),
              firstShell: summary(wasmer.firstShell),
              laterShell: summary(wasmer.laterShell),
              firstPython: summary(wasmer.firstPython),
              laterPython: summary(wasmer.laterPython),
              bytesPerFork: wasmer.bytesPerFork,
            },
    }),
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
  const { minRatio = 0, maxForkMs = Infinity, maxCommandMs = Infinity } = bounds;
  const forkMs = median(last.get("overlay")!);
  const commandMs = median([...commands.overlay.values()][0]!);
  const failures = [
    ...(ratio.median < minRatio ? [`the ratio is ${ratio.median.toFixed(1)}, below ${minRatio}`] : []),
    ...(forkMs > maxForkMs ? [`a fork takes ${forkMs.toFixed(1)} ms, more than ${maxForkMs}`] : []),
    ...(commandMs > maxCommandMs
      ? [`a program takes ${commandMs.toFixed(1)} ms, more than ${maxCommandMs}`]
      : []),
  ];
  for (const failure of failures) process.stderr.write(`bench: ${failure}\n`);
  return failures.length === 0 ? 0 : 1;
}

async function forkTimes(image: string, change: Change, rounds: number): Promise<Map<string, number[]>> {
  const { script, files } = change;
  const overlay = await changed(image, "overlay", script);
  const commit = await changed(image, "commit", script);
  const plain = await PlainDocker.start(image, change);
  const wasmer = await wasmerWorkspace(files);
  const sides: Side[] = [
    sandboxSide("overlay", overlay),
    sandboxSide("commit", commit),
    ...(wasmer === undefined ? [] : [sandboxSide("wasmer", wasmer)]),
    { name: "docker commit + run", fork: () => plain.fork() },
    {
      name: "replay in a fresh container",
      fork: async () => {
        const fresh = await changed(image, "commit", script);
        await fresh.exec("true");
        return () => fresh.close();
      },
    },
    {
      name: "copy the folder (overlay, cp -a)",
      fork: async () => {
        await overlay.exec("cp -a /project /copy; true");
        return async () => void (await overlay.exec("rm -rf /copy"));
      },
    },
  ];
  const times = new Map(sides.map(({ name }) => [name, [] as number[]]));
  try {
    for (let round = -1; round < rounds; round++) {
      for (let turn = 0; turn < sides.length; turn++) {
        const side = sides[(Math.max(round, 0) + turn) % sides.length]!;
        const started = performance.now();
        const clean = await side.fork();
        // The first round warms up.
        if (round >= 0) times.get(side.name)!.push(performance.now() - started);
        await clean();
        // Nobody pays for what the side before has left to be written.
        execFileSync("sync");
      }
    }
  } finally {
    await Promise.all([overlay.close(), commit.close(), plain.close(), wasmer?.close()]);
  }
  return times;
}

async function changed(image: string, engine: "overlay" | "commit", script: string): Promise<Sandbox> {
  const sandbox = await createDockerSandbox({ image, engine });
  const { exitCode } = await sandbox.exec(script);
  if (exitCode !== 0)
    throw new Error(`bench: the script that changes files exits ${exitCode} over ${engine}`);
  return sandbox;
}

/** Each fork starts from a parent that has changed a little since the last, or the snapshot would be the same. */
function sandboxSide(name: string, parent: Sandbox): Side {
  let count = 0;
  return {
    name,
    async fork() {
      const snapshot = await parent.snapshot();
      const fork = await parent.fork(snapshot);
      await fork.exec("true");
      return async () => {
        await fork.close();
        await parent.release(snapshot);
        await parent.exec(`echo ${count++} > /project/marker`);
      };
    },
  };
}

/** What an agent does between forks. */
const OPERATIONS: Readonly<Record<string, (sandbox: Sandbox) => Promise<unknown>>> = {
  "a program (true)": (sandbox) => sandbox.exec(["true"]),
  "a script (true)": (sandbox) => sandbox.exec("true"),
  "a script that keeps the shell's state": (sandbox) => sandbox.exec("true", { keepShell: true }),
  "reading a small file": (sandbox) => sandbox.readFile("/etc/hostname"),
};

async function operationTimes(image: string, engine: "overlay" | "commit"): Promise<Map<string, number[]>> {
  const sandbox = await createDockerSandbox({ image, engine });
  const all = new Map<string, number[]>();
  for (const [name, operation] of Object.entries(OPERATIONS)) {
    const times: number[] = [];
    for (let count = -20; count < COMMANDS; count++) {
      const started = performance.now();
      await operation(sandbox);
      if (count >= 0) times.push(performance.now() - started);
    }
    all.set(name, times);
  }
  await sandbox.close();
  return all;
}

/** From one sandbox to eight: at each of three levels every branch writes a file and is forked once. */
async function expansionMs(image: string, engine: "overlay" | "commit"): Promise<number> {
  let branches = [await createDockerSandbox({ image, engine })];
  await branches[0]!.exec("true");
  const started = performance.now();
  for (let level = 0; level < 3; level++) {
    const next = await Promise.all(
      branches.map(async (branch) => {
        await branch.exec(`echo ${level} > /level${level}`);
        const snapshot = await branch.snapshot();
        const child = await branch.fork(snapshot);
        await branch.release(snapshot);
        return [branch, child];
      }),
    );
    branches = next.flat();
  }
  await Promise.all(branches.map((branch) => branch.exec("cat /level0 /level1 /level2")));
  const ms = performance.now() - started;
  await Promise.all(branches.map((branch) => branch.close()));
  return ms;
}

/** Memory of the container and size of its volume per branch, with many alive that have run a command each. */
async function branchCost(image: string): Promise<{ memoryBytes: number; diskBytes: number }> {
  const run = `bench-${process.pid}`;
  const root = await createDockerSandbox({ image, engine: "overlay", run });
  await root.exec("true");
  const before = await usage(run);
  const snapshot = await root.snapshot();
  const branches = [];
  for (let count = 0; count < BRANCHES; count++) {
    const branch = await root.fork(snapshot);
    await branch.exec("head -c 10000 /dev/urandom > /changed");
    branches.push(branch);
  }
  const after = await usage(run);
  await root.release(snapshot);
  await Promise.all([root, ...branches].map((sandbox) => sandbox.close()));
  return {
    memoryBytes: (after.memoryBytes - before.memoryBytes) / BRANCHES,
    diskBytes: (after.diskBytes - before.diskBytes) / BRANCHES,
  };
}

async function usage(run: string): Promise<{ memoryBytes: number; diskBytes: number }> {
  const docker = new Docker();
  const filters = { label: [`forkgym.run=${run}`] };
  const [container] = await docker.listContainers({ filters });
  const { memory_stats } = await docker.getContainer(container!.Id).stats({ stream: false });
  const { Volumes } = (await docker.df()) as {
    Volumes: { Labels: Record<string, string> | null; UsageData: { Size: number } }[];
  };
  const volume = Volumes.find(({ Labels }) => Labels?.["forkgym.run"] === run);
  const { total_rss, rss, anon } = memory_stats.stats as unknown as Record<string, number | undefined>;
  return {
    memoryBytes: total_rss ?? rss ?? anon ?? memory_stats.usage,
    diskBytes: volume?.UsageData.Size ?? Number.NaN,
  };
}

function spread(times: readonly number[]): string[] {
  return [
    median(times).toFixed(1),
    `${percentile(times, 0.1).toFixed(1)} to ${percentile(times, 0.9).toFixed(1)}`,
  ];
}

function summary(times: readonly number[]): object {
  return {
    median: median(times),
    p10: percentile(times, 0.1),
    p90: percentile(times, 0.9),
    rounds: times.length,
  };
}

function mega(bytes: number): string {
  return (bytes / 1e6).toFixed(2);
}
