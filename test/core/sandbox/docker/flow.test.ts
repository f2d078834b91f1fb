import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDockerSandbox } from "../../../../core/sandbox/docker/index.ts";
import type { Sandbox } from "../../../../core/sandbox/sandbox.ts";
import { describeDocker, docker, image } from "./docker.ts";

const MB = 1_000_000;

describeDocker("large inputs and outputs", () => {
  describe.each(["overlay", "commit"] as const)("with %s", (engine) => {
    let box: Sandbox;
    beforeAll(async () => {
      box = await createDockerSandbox({ image: image!, engine });
    });
    afterAll(() => box.close());

    /** The most memory that process 1 of the container ever had. */
    async function peakBytes(): Promise<number> {
      const name = (await box.exec("cat /etc/hostname")).stdout.text.trim();
      const exec = await docker
        .getContainer(name)
        .exec({ Cmd: ["grep", "VmHWM", "/proc/1/status"], AttachStdout: true });
      const text = await new Response((await exec.start({})) as never).text();
      return Number(/(\d+) kB/.exec(text)![1]) * 1024;
    }

    test("go both ways at once, through one command and through two", async () => {
      const stdin = new Uint8Array(4 * MB);
      for (let round = 0; round < 4; round++) {
        const { exitCode, stdout } = await box.exec("head -c 2000000 /dev/zero", {
          stdin,
          outputBytes: 2 * MB,
        });
        expect([exitCode, stdout.bytes.length]).toEqual([0, 2 * MB]);
      }
      const bytes = Buffer.alloc(30 * MB, "forkgym ");
      await box.writeFile("/one", bytes);
      const [read] = await Promise.all([box.readFile("/one"), box.writeFile("/two", bytes)]);
      expect(bytes.equals(read)).toBe(true);
      expect(bytes.equals(await box.readFile("/two"))).toBe(true);
    }, 60_000);

    test("a command that reads nothing keeps no other waiting, and little of its input waits for it", async () => {
      const idle = box.exec("while [ ! -e /tmp/go ]; do sleep 0.02; done; wc -c", {
        stdin: new Uint8Array(60 * MB),
      });
      expect((await box.exec("grep VmHWM /proc/1/status")).exitCode).toBe(0);
      await box.writeFile("/tmp/go", "");
      expect((await idle).stdout.text.trim()).toBe(String(60 * MB));
      expect(await peakBytes()).toBeLessThan(50 * MB);
    }, 60_000);

    test("an owner that reads nothing for a while gets all of it, of which little waits for it", async () => {
      await box.exec(["truncate", "-s", String(60 * MB), "/big"]);
      const reading = box.readFile("/big");
      await box.exec("true");
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
      expect((await reading).length).toBe(60 * MB);
      expect(await peakBytes()).toBeLessThan(50 * MB);
    }, 60_000);
  });
});
