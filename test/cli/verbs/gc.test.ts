import { afterEach, expect, test, vi } from "vitest";
import { labels } from "../../../core/sandbox/docker/labels.ts";
import { deadOwner, docker, dockerTest } from "../../core/sandbox/docker/docker.ts";
import { forkgym, freshFolder, quiet } from "../forkgym.ts";

const RUN = `cli-gc-${process.pid}`;

afterEach(() => {
  vi.unstubAllEnvs();
});

async function volume(marks: Record<string, string>): Promise<string> {
  return (await docker.createVolume({ Labels: marks })).name;
}

test("without Docker there is nothing to remove", async () => {
  vi.stubEnv("DOCKER_HOST", "unix:///nonexistent.sock");
  const folder = await freshFolder();
  expect(await quiet(folder, "gc")).toBe("nothing to remove: no Docker daemon answers here\n");
  expect(JSON.parse(await quiet(folder, "gc --json"))).toEqual({
    docker: false,
    found: [],
    removed: 0,
    failures: [],
  });
});

dockerTest("lists what killed processes left, then removes it", async () => {
  const folder = await freshFolder();
  const owner = deadOwner();
  const [host, pid] = owner.split(" ");
  const dead = await volume({ ...labels("volume", RUN), "forkgym.owner": owner });
  const living = await volume(labels("volume", RUN));
  const line = `volume     ${dead.slice(0, 12)}  process ${pid} on ${host!.split("/")[0]}, run ${RUN}\n`;
  try {
    expect(await quiet(folder, `gc --run ${RUN}-other`)).toBe("nothing to remove\n");
    expect(await quiet(folder, `gc --run ${RUN} --dry-run`)).toBe(
      `${line}1 to remove; nothing was removed\n`,
    );
    const found = [{ kind: "volume", id: dead, owner, run: RUN }];
    expect(JSON.parse(await quiet(folder, `gc --run ${RUN} --dry-run --json`))).toEqual({
      docker: true,
      found,
      removed: 0,
      failures: [],
    });
    expect(await quiet(folder, `gc --run ${RUN}`)).toBe(`${line}removed 1 of 1\n`);
    expect(await quiet(folder, `gc --run ${RUN}`)).toBe("nothing to remove\n");
  } finally {
    await docker.getVolume(living).remove();
  }
});

dockerTest("what cannot be removed is told, with code 1", async () => {
  const dead = await volume({ ...labels("volume", RUN), "forkgym.owner": deadOwner() });
  const { id } = await docker.createContainer({
    Image: process.env.FORKGYM_IMAGE!,
    Cmd: ["true"],
    HostConfig: { Binds: [`${dead}:/mnt`] },
  });
  try {
    const { code, stdout, stderr } = await forkgym(await freshFolder(), `gc --run ${RUN}`);
    expect([code, stdout]).toEqual([1, expect.stringMatching(/removed 0 of 1\n$/)]);
    expect(stderr).toMatch(/^volume {5}\w{12} {2}process .*volume is in use/);
  } finally {
    await docker.getContainer(id).remove();
    await docker.getVolume(dead).remove();
  }
});
