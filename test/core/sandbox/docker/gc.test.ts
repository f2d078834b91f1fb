import { beforeAll, expect, onTestFinished } from "vitest";
import { findGarbage, type Made, removeGarbage } from "../../../../core/sandbox/docker/gc.ts";
import { labels, owner } from "../../../../core/sandbox/docker/labels.ts";
import { deadOwner, describeDocker, docker, dockerTest, image, labelled, startOwner } from "./docker.ts";

const RUN = `gc-${process.pid}`;
let dead: string;
const found = () => findGarbage(docker, { run: RUN });
const left = () => labelled((each) => each["forkgym.run"] === RUN);
const names = (garbage: readonly Made[]) => garbage.map(({ kind, id }) => `${kind} ${id}`);
const marks = (kind: string, of: string, run = RUN) => ({
  forkgym: kind,
  "forkgym.owner": of,
  "forkgym.run": run,
});

async function volume(marked: Record<string, string>): Promise<string> {
  const { name } = await docker.createVolume({ Labels: marked });
  onTestFinished(() =>
    docker
      .getVolume(name)
      .remove()
      .catch(() => {}),
  );
  return `volume ${name}`;
}

async function container(marked: Record<string, string>, from = image!, mount?: string): Promise<string> {
  const { id } = await docker.createContainer({
    Image: from,
    Cmd: ["true"],
    Labels: marked,
    ...(mount !== undefined && { HostConfig: { Binds: [`${mount}:/mnt`] } }),
  });
  onTestFinished(() =>
    docker
      .getContainer(id)
      .remove({ force: true })
      .catch(() => {}),
  );
  return `container ${id}`;
}

/** An image that stands on another. */
async function commit(marked: Record<string, string>, from = image!, tag?: string): Promise<string> {
  const { id } = await docker.createContainer({ Image: from, Cmd: ["true"] });
  const changes = Object.entries(marked).map(([name, value]) => `LABEL ${name}="${value}"`);
  const options = { ...(changes.length > 0 && { changes: changes.join("\n") }), ...(tag && { repo: tag }) };
  const { Id } = await docker.getContainer(id).commit(options);
  await docker.getContainer(id).remove();
  onTestFinished(() =>
    docker
      .getImage(Id)
      .remove({ force: true, noprune: true })
      .catch(() => {}),
  );
  return `image ${Id}`;
}

const idOf = (name: string) => name.split(" ")[1]!;

beforeAll(() => {
  dead = deadOwner();
});

describeDocker("garbage", () => {
  dockerTest("what dead processes left is found and removed, children first", async () => {
    const first = await commit(marks("image", dead));
    const second = await commit(marks("image", dead), idOf(first));
    const third = await commit(marks("image", dead), idOf(second));
    const all = [
      await container(marks("container", dead)),
      third,
      second,
      first,
      await volume(marks("volume", dead)),
    ];
    const garbage = await found();
    expect(names(garbage).sort()).toEqual([...all].sort());
    expect(await removeGarbage(docker, garbage)).toEqual([]);
    expect(await found()).toEqual([]);
    expect(await left()).toEqual([]);
  });

  dockerTest("nothing else is", async () => {
    const [, pid, birth] = owner().split(" ");
    await volume(labels("volume", RUN));
    await volume(marks("volume", `another-host ${pid} 1`));
    await volume(marks("volume", dead, `${RUN}-other`));
    await volume(marks("volume", ""));
    await volume(marks("volume", `${dead.split(" ")[0]} 0x1 ${birth}`));
    await volume(marks("1", dead));
    await volume({ "forkgym.owner": dead, "forkgym.run": RUN });
    await volume({});
    const ours = await commit(marks("image", dead));
    const theirs = await commit({}, idOf(ours), `forkgym-test-${process.pid}`);
    await container({}, idOf(theirs)); // Inherits the labels.
    expect(await found()).toEqual([]);
    expect(await left()).toHaveLength(9);
  });

  dockerTest(
    "what another host left is found where all hosts are asked for, unless a container of it runs",
    async () => {
      const [, , birth] = owner().split(" ");
      const gone = `gone-${process.pid}/1`;
      const there = `there-${process.pid}/1`;
      const running = await docker.createContainer({
        Image: image!,
        Cmd: ["sleep", "100"],
        Labels: marks("container", `${there} 7 1`),
      });
      await running.start();
      onTestFinished(() => running.remove({ force: true }).catch(() => {}));
      await volume(marks("volume", `${there} 7 1 2`));
      await volume(marks("volume", `${dead.split(" ")[0]} ${process.pid} ${birth}`));
      await volume(marks("volume", "no label of ours"));
      const theirs = [await volume(marks("volume", `${gone} 7 1`)), await volume(marks("volume", dead))];
      expect(names(await found())).toEqual(theirs.slice(1));
      const all = await findGarbage(docker, { run: RUN, allHosts: true });
      expect(names(all).sort()).toEqual([...theirs].sort());
      await running.remove({ force: true });
      expect(await findGarbage(docker, { run: RUN, allHosts: true })).toHaveLength(3);
    },
  );

  dockerTest("a living process's are not, and its name does not matter once it is dead", async () => {
    const child = startOwner(`
      const box = await open({ engine: "commit", run: ${JSON.stringify(`${RUN} "$HOME" \\ name`)} });
      await box.snapshot();
      say("ready");
      setInterval(() => {}, 1e6)`);
    await child.said("ready");
    const run = `${RUN} "$HOME" \\ name`;
    expect(await findGarbage(docker, { run })).toEqual([]);
    child.process.kill("SIGKILL");
    await child.ended;
    const garbage = await findGarbage(docker, { run });
    expect(garbage.map(({ kind }) => kind)).toContain("image");
    expect(await removeGarbage(docker, garbage)).toEqual([]);
    expect(await labelled((each) => each["forkgym.run"] === run)).toEqual([]);
  });

  dockerTest("what cannot be removed is named, and the rest goes on", async () => {
    const used = await volume(marks("volume", dead));
    const child = await container({}, image!, idOf(used));
    await container(marks("container", dead));
    const below = await commit(marks("image", dead));
    const user = await container({}, idOf(below));
    await volume(marks("volume", dead));
    const garbage = await found();
    expect(garbage).toHaveLength(4);
    const failures = await removeGarbage(docker, garbage);
    expect(names(failures.map(({ made }) => made)).sort()).toEqual([below, used].sort());
    for (const { message } of failures) expect(message).toMatch(/in use|being used/);
    for (const id of [child, user].map(idOf)) await docker.getContainer(id).remove();
    expect(await removeGarbage(docker, garbage)).toEqual([]);
    expect(await left()).toEqual([]);
  });
});
