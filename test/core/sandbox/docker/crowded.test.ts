import type Docker from "dockerode";
import { expect, test } from "vitest";
import { SandboxError } from "../../../../core/errors.ts";
import { createDockerSandbox } from "../../../../core/sandbox/docker/index.ts";
import type { Sandbox } from "../../../../core/sandbox/sandbox.ts";
import { describeDocker, docker, image } from "./docker.ts";

/** Takes every process that there is, and each that comes free, for three seconds. */
const HOG = `import os, time
end = time.time() + 3
while time.time() < end:
    try:
        if os.fork() == 0: time.sleep(60)
    except OSError: time.sleep(0.001)`;

async function countLayers(container: Docker.Container): Promise<number> {
  const exec = await container.exec({ Cmd: ["ls", "/.forkgym/l"], AttachStdout: true });
  const text = await new Response((await exec.start({})) as never).text();
  return text.trim().split("\n").length;
}

describeDocker("a container with no room for one more process", () => {
  test("forks, keeps its branches, and makes new ones that work once there is room", async () => {
    const hog = await createDockerSandbox({ image: image!, engine: "overlay", pids: 50 });
    const first = await hog.snapshot();
    const other = await hog.fork(first);
    await other.exec("echo kept > /file");
    const snapshot = await other.snapshot();
    const busy = hog.exec(["python3", "-c", HOG], { timeoutMs: 30_000 });
    // What needs no process is done, what needs one fails, and neither ends the container.
    let error: unknown;
    let fork: Sandbox | undefined;
    while (!/no process can be started for the branch, which `pids` may forbid/.test(String(error))) {
      await fork?.close();
      fork = await other.fork(snapshot);
      await fork.exec("true").catch((reason: unknown) => {
        error = reason;
      });
    }
    expect(error).toBeInstanceOf(SandboxError);
    await other.release(await other.snapshot());
    await (await other.fork(snapshot)).close();
    await expect(fork!.exec("true")).rejects.toThrow(SandboxError);
    expect(await busy).toMatchObject({ exitCode: 0, timedOut: false });
    for (const box of [hog, other, fork!, await other.fork(snapshot)]) {
      expect((await box.exec("echo fine")).stdout.text).toBe("fine\n");
      if (box !== hog) expect(Buffer.from(await box.readFile("/file")).toString()).toBe("kept\n");
      if (box !== hog) await box.close();
    }
    await hog.release(first);
    await hog.release(snapshot);
    // What could not be deleted is deleted later.
    const container = docker.getContainer(String(snapshot.container));
    await expect.poll(() => countLayers(container), { timeout: 5000 }).toBeLessThanOrEqual(3);
    await hog.close();
  }, 60_000);
});
