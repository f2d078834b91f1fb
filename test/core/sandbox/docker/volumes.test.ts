import { afterAll, beforeAll, expect, test } from "vitest";
import { createDockerSandbox } from "../../../../core/sandbox/docker/index.ts";
import { describeDocker, docker, image } from "./docker.ts";

describeDocker("an image that declares volumes", () => {
  let withVolume: string;
  beforeAll(async () => {
    const container = await docker.createContainer({
      Image: image!,
      Cmd: ["sh", "-c", "mkdir /data; echo image > /data/file"],
      HostConfig: { NetworkMode: "none" },
    });
    await container.start();
    await container.wait();
    withVolume = ((await container.commit({ changes: "VOLUME /data" })) as { Id: string }).Id;
    await container.remove();
  });
  afterAll(() => docker.getImage(withVolume).remove({ force: true }));

  test.each([
    ["overlay", "new\n", []],
    ["commit", "image\n", ["docker: a fork by commit loses what is written to the image's volumes: /data"]],
  ] as const)("%s: what a fork has of them, and a note if it is not all", async (engine, inFork, said) => {
    const notes: string[] = [];
    const box = await createDockerSandbox({ image: withVolume, engine, onNote: (line) => notes.push(line) });
    expect((await box.exec("cat /data/file; echo new > /data/file; cat /data/file")).stdout.text).toBe(
      "image\nnew\n",
    );
    const snapshot = await box.snapshot();
    const fork = await box.fork(snapshot);
    expect((await fork.exec("cat /data/file")).stdout.text).toBe(inFork);
    expect(notes).toEqual(said);
    await fork.close();
    await box.release(snapshot);
    await box.close();
  });
});
