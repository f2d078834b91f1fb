import { setImmediate } from "node:timers/promises";
import Docker from "dockerode";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Images } from "../../../../core/sandbox/docker/images.ts";
import { Machine } from "../../../../core/sandbox/docker/machine.ts";
import { describeDocker, dockerTest, image } from "./docker.ts";

describeDocker("images of commits", () => {
  dockerTest("are flattened before there are too many layers, and keep files and settings", async () => {
    const docker = new Docker();
    const images = new Images(docker, 1);
    const machine = await Machine.start(docker, { image: image!, overlay: false });
    await machine.request({ op: "exec", argv: ["sh", "-c", "echo kept > /kept"] }, new Uint8Array());
    const flat = await images.commit(machine, undefined);
    const { RootFS, Config } = await docker.getImage(flat).inspect();
    const before = await docker.getImage(image!).inspect();
    expect(RootFS.Layers).toHaveLength(1);
    expect(Config.Env ?? []).toEqual(expect.arrayContaining(before.Config.Env ?? []));
    const again = await Machine.start(docker, { image: flat, overlay: false });
    const { output } = await again.request({ op: "exec", argv: ["cat", "/kept"] }, new Uint8Array());
    expect(Buffer.concat([...output[0]![0]]).toString()).toBe("kept\n");
    await Promise.all([machine.close(), again.close()]);
    await images.drop(flat);
    await expect(docker.getImage(flat).inspect()).rejects.toMatchObject({ statusCode: 404 });
  });
});

/** What a daemon does about images: one is refused as long as a child stands on it, and is gone some turns after it was asked. */
class FakeImages {
  readonly parents = new Map<string, string | undefined>();
  #count = 0;
  /** Times each image is refused although nothing stands on it, as with a container that is not quite gone. */
  readonly #refusals: number;
  readonly #refused = new Map<string, number>();

  constructor(refusals: number) {
    this.#refusals = refusals;
  }

  commitOf(parent: string | undefined): Machine {
    return {
      commit: async () => {
        const id = `image ${this.#count++}`;
        this.parents.set(id, parent);
        return id;
      },
    } as unknown as Machine;
  }

  readonly docker = {
    getImage: (id: string) => ({
      inspect: async () => ({ RootFS: { Layers: [] }, Config: {} }),
      remove: async () => {
        for (let turns = 0; turns < 3; turns++) await setImmediate();
        if (!this.parents.has(id)) throw Object.assign(new Error("no such image"), { statusCode: 404 });
        const refused = this.#refused.get(id) ?? 0;
        if ([...this.parents.values()].includes(id) || refused < this.#refusals) {
          this.#refused.set(id, refused + 1);
          throw Object.assign(new Error("conflict"), { statusCode: 409 });
        }
        for (let turns = 0; turns < 3; turns++) await setImmediate();
        this.parents.delete(id);
      },
    }),
  } as unknown as Docker;
}

describe("images of commits that are no longer needed", () => {
  const chain = async (fake: FakeImages, length: number) => {
    const images = new Images(fake.docker);
    const ids: string[] = [];
    for (let depth = 0; depth < length; depth++)
      ids.push(await images.commit(fake.commitOf(ids.at(-1)), undefined));
    return { images, ids };
  };

  test("are gone when the last is dropped, in whatever order and however many at once", async () => {
    const order = fc.integer({ min: 1, max: 6 }).chain((length) =>
      fc.record({
        order: fc.shuffledSubarray([...Array(length).keys()], { minLength: length }),
        waits: fc.array(fc.boolean(), { minLength: length, maxLength: length }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(order, async ({ order, waits }) => {
        const fake = new FakeImages(0);
        const { images, ids } = await chain(fake, order.length);
        const dropping: Promise<void>[] = [];
        for (const [at, index] of order.entries()) {
          dropping.push(images.drop(ids[index]!));
          if (waits[at]) await dropping.at(-1);
        }
        await Promise.all(dropping);
        expect([...fake.parents.keys()]).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });

  test("are tried again if Docker still holds them for a moment", async () => {
    const fake = new FakeImages(2);
    const { images, ids } = await chain(fake, 2);
    await Promise.all(ids.map((id) => images.drop(id)));
    expect([...fake.parents.keys()]).toEqual([]);
  });

  test("wait, and do not keep a release waiting, as long as a snapshot stands on them", async () => {
    const fake = new FakeImages(0);
    const { images, ids } = await chain(fake, 2);
    await images.drop(ids[0]!);
    expect([...fake.parents.keys()]).toEqual(ids);
    await images.drop(ids[1]!);
    expect([...fake.parents.keys()]).toEqual([]);
  });
});
