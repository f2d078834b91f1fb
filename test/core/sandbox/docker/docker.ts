import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import Docker from "dockerode";
import { describe, inject, onTestFinished, test } from "vitest";
import { owner } from "../../../../core/sandbox/docker/labels.ts";

/** A local image with python3, for tests that need Docker. */
export const image: string | undefined = process.env.FORKGYM_IMAGE;

export const docker: Docker = new Docker();

const missing = await whatIsMissing();
if (missing !== undefined && process.env.FORKGYM_REQUIRE_DOCKER === "1") throw new Error(missing);

/** What keeps tests in Docker from running. */
async function whatIsMissing(): Promise<string | undefined> {
  if (image === undefined) return "FORKGYM_IMAGE names no image; set it to a local image with python3";
  return docker
    .getImage(image)
    .inspect()
    .then(
      () => undefined,
      (error: Error) => `image ${image} of FORKGYM_IMAGE is not here: ${error.message.trim()}`,
    );
}

/** Tests that need Docker: skipped by name without it, a failure where FORKGYM_REQUIRE_DOCKER=1. */
export function describeDocker(name: string, tests: () => void): void {
  if (missing !== undefined) describe.skip(`${name} (skipped: ${missing})`, tests);
  else describe(name, tests);
}

/** A test that needs Docker, like `describeDocker`. */
export function dockerTest(name: string, body: () => Promise<void>, timeoutMs = 60_000): void {
  if (missing !== undefined) test.skip(`${name} (skipped: ${missing})`, body);
  else test(name, body, timeoutMs);
}

/** Another process that has things in Docker. */
export interface Owner {
  readonly process: ChildProcess;
  readonly pid: number;
  /** The line that starts with this word, once it was printed. Rejects if the process ends before. */
  said(word: string): Promise<string>;
  readonly ended: Promise<{ code: number | null; signal: string | null; stdout: string; stderr: string }>;
}

/**
 * Runs a program against the package as it is published, in a process of its own. It has `open(options)`, a sandbox
 * of the image, `say(line)`, the `image`, and the `backend` as a URL.
 */
export function startOwner(program: string, nodeOptions: readonly string[] = []): Owner {
  const backend = pathToFileURL(join(inject("packageFolder"), "dist/core/sandbox/docker/index.js")).href;
  const prelude = `import { createDockerSandbox } from "${backend}";
    const [backend, image] = ${JSON.stringify([backend, image])};
    const open = (options) => createDockerSandbox({ image, ...options });
    const say = (line) => process.stdout.write(line + "\\n");`;
  const child = spawn(
    process.execPath,
    [...nodeOptions, "--input-type=module", "-e", `${prelude}\n${program}`],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const ended = new Promise<Awaited<Owner["ended"]>>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  const said = async (word: string) => {
    for (;;) {
      const line = stdout
        .split("\n")
        .slice(0, -1)
        .find((each) => each.startsWith(word));
      if (line !== undefined) return line;
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`it ended: ${stdout}${stderr}`);
      await setTimeout(5);
    }
  };
  return { process: child, pid: child.pid!, said, ended };
}

/** An owner that lives no more. */
export function deadOwner(): string {
  const { pid } = spawnSync(process.execPath, ["-e", ""]);
  return [owner().split(" ")[0], pid, 1].join(" ");
}

/** Everything in Docker with a label that fits, whatever kind of thing the label says it is. */
export async function labelled(
  fits: (labels: Readonly<Record<string, string>>) => boolean,
): Promise<string[]> {
  const [containers, images, { Volumes }] = await Promise.all([
    docker.listContainers({ all: true }),
    docker.listImages({ all: true }),
    docker.listVolumes(),
  ]);
  return [
    ...containers.map(({ Id, Labels }) => ({ name: `container ${Id}`, Labels })),
    ...images.map(({ Id, Labels }) => ({ name: `image ${Id}`, Labels })),
    ...(Volumes ?? []).map(({ Name, Labels }) => ({ name: `volume ${Name}`, Labels })),
  ]
    .filter(({ Labels }) => fits(Labels ?? {}))
    .map(({ name }) => name);
}

/** What processes have in Docker. */
export function thingsOf(...pids: readonly number[]): Promise<string[]> {
  return labelled((labels) => pids.includes(Number((labels["forkgym.owner"] ?? "").split(" ")[1])));
}

/** What processes still have in Docker after waiting for it to go for up to some seconds. */
export async function leftOf(pids: readonly number[], waitMs = 8000): Promise<string[]> {
  for (let ms = 0; ; ms += 100) {
    const left = await thingsOf(...pids);
    if (left.length === 0 || ms >= waitMs) return left;
    await setTimeout(100);
  }
}
