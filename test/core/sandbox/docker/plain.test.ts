import Docker from "dockerode";
import { afterAll, expect, test, vi } from "vitest";
import { createDockerSandbox } from "../../../../core/sandbox/docker/index.ts";
import type { Sandbox } from "../../../../core/sandbox/sandbox.ts";
import { testSandbox } from "../../../contracts/index.ts";
import { describeDocker, image } from "./docker.ts";

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
      "after a command that changed nothing it is the same snapshot":
        "what a command changed is not known without walking the whole image; any command counts as a change",
      "hard links cross a fork":
        "overlayfs copies a lower file up under the one name that is written, as Docker's own storage driver does",
    },
  });
});
