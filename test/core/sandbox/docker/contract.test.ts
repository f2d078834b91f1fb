import Docker from "dockerode";
import { describe } from "vitest";
import { createDockerSandbox } from "../../../../core/sandbox/docker/index.ts";
import type { Sandbox } from "../../../../core/sandbox/sandbox.ts";
import { testSandbox } from "../../../contracts/index.ts";
import { describeDocker, image } from "./docker.ts";

/** Kills the container that a sandbox runs in, as an operator would; its host name is its short id. */
async function kill(sandbox: Sandbox): Promise<void> {
  const { stdout } = await sandbox.exec("cat /etc/hostname");
  await new Docker().getContainer(stdout.text.trim()).kill();
}

const HARD_LINKS =
  "overlayfs copies a lower file up under the one name that is written, as Docker's own storage driver does";

describeDocker("docker", () => {
  describe("overlay", () => {
    testSandbox({
      make: () => createDockerSandbox({ image: image!, engine: "overlay", sharedMemoryBytes: 2 ** 22 }),
      kill,
      fullDisk: "/dev/shm",
      skip: { "hard links cross a fork": HARD_LINKS },
    });
  });

  describe("commit", () => {
    testSandbox({
      make: () => createDockerSandbox({ image: image!, engine: "commit", sharedMemoryBytes: 2 ** 22 }),
      kill,
      fullDisk: "/dev/shm",
      timeScale: 1.5,
      skip: {
        "after a command that changed nothing it is the same snapshot":
          "what a command changed is not known without walking the whole image; any command counts as a change",
        "hard links cross a fork": HARD_LINKS,
      },
    });
  });
});
