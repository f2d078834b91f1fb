import Docker from "dockerode";
import { afterAll, expect, test, vi } from "vitest";
import { createDockerSandbox } from "../../../../core/sandbox/docker/index.ts";
import type { Sandbox } from "../../../../core/sandbox/sandbox.ts";
import { testSandbox } from "../../../contracts/index.ts";
import { describeDocker, image } from "./docker.ts";

/** Slow here, and the same code as with a command server: a snapshot is a commit of the container. */
const SAME_AS_COMMIT = [
  "a snapshot of a changed sandbox is another one",
  "a snapshot is plain JSON and survives it, in another sandbox of the backend too",
  "snapshots are released in any order, and forks live on",
  "an unchanged sandbox whose snapshot was released gives one that can be forked",
  "changes in a fork come out as they would have without a fork, and in its forks",
  "a folder that was deleted and made again does not show what was in it",
  "ten forks deep, each level has what was written above and not what was deleted",
  "what a parent changes is seen in no fork, and its snapshot stays put",
  "modes, owners and times cross a fork",
  "names that are no UTF-8 and dangling links do not break a snapshot",
];

/** An image without python3: that of the other tests, less the program. Made when first needed. */
let bare: Promise<string> | undefined;

async function makeBare(): Promise<string> {
  const docker = new Docker();
  const container = await docker.createContainer({
    Image: image!,
    Cmd: ["sh", "-c", "rm -f /usr/bin/python3*"],
    HostConfig: { NetworkMode: "none" },
  });
  try {
    await container.start();
    await container.wait();
    return ((await container.commit()) as { Id: string }).Id;
  } finally {
    await container.remove({ force: true });
  }
}

async function plain(onNote: (line: string) => void = () => {}): Promise<Sandbox> {
  bare ??= makeBare();
  return createDockerSandbox({ image: await bare, sharedMemoryBytes: 2 ** 22, onNote });
}

describeDocker("an image without python3", () => {
  afterAll(async () => {
    if (bare === undefined) return;
    const image = new Docker().getImage(await bare);
    // Docker may take a moment to see that the last image made of it is gone.
    await vi.waitFor(() => image.remove({ force: true }), { timeout: 30_000, interval: 200 });
  });

  test("falls back to commits and a docker exec a command, and says why in a line each", async () => {
    const notes: string[] = [];
    const sandbox = await plain((line) => notes.push(line));
    expect(notes).toEqual([
      expect.stringMatching(/^docker: no overlay branches here, forking by commit instead: .*no python3/),
      expect.stringMatching(
        /no python3, which the command server needs; each command is a docker exec of its own instead$/,
      ),
    ]);
    expect(sandbox.flags).toEqual({ backend: "docker/commit", backgroundProcesses: true, anyProgram: true });
    await sandbox.close();
  });

  test("keeps a shell's state whatever a script does to its files, its PATH and the image's variables", async () => {
    const sandbox = await plain();
    const keep = (script: string) => sandbox.exec(script, { keepShell: true });
    await keep("exec 9>/tmp/lock; set -C; cd /usr; export A=1 PATH=/nonexistent");
    expect(sandbox.shell).toMatchObject({ cwd: "/usr", env: { A: "1", PATH: "/nonexistent" } });
    await keep("export PATH=/usr/bin:/bin; unset HOSTNAME");
    expect((await sandbox.exec(`sh -c 'echo "\${HOSTNAME-unset}"'; cat /tmp/lock`)).stdout.text).toBe(
      "unset\n",
    );
    await keep("mv /usr/bin/env /usr/bin/away; cd /var; export A=2");
    expect(sandbox.shell).toMatchObject({ cwd: "/var", env: { A: "1" } });
    await sandbox.close();
  });

  testSandbox({
    make: () => plain(),
    kill: async (sandbox) => {
      const { stdout } = await sandbox.exec("cat /etc/hostname");
      await new Docker().getContainer(stdout.text.trim()).kill();
    },
    fullDisk: "/dev/shm",
    timeScale: 2,
    numCommands: 30,
    skip: {
      ...Object.fromEntries(
        SAME_AS_COMMIT.map((name) => [name, "snapshots are those of the commit engine, tried there"]),
      ),
      "after a command that changed nothing it is the same snapshot":
        "what a command changed is not known without walking the whole image; any command counts as a change",
      "hard links cross a fork":
        "overlayfs copies a lower file up under the one name that is written, as Docker's own storage driver does",
    },
  });
});
