import Docker from "dockerode";
import { expect } from "vitest";
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
