import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDockerSandbox } from "../../../../core/sandbox/docker/index.ts";
import type { Sandbox } from "../../../../core/sandbox/sandbox.ts";
import { describeDocker, docker, image } from "./docker.ts";

/** What a `docker exec` sees and what a shell's user expects. */
describeDocker("the environment of a command", () => {
  const ways = {
    overlay: { engine: "overlay" },
    commit: { engine: "commit" },
    "overlay, as a user": { engine: "overlay", user: "nobody" },
  } as const;
  describe.each(Object.entries(ways))("%s", (name, options) => {
    let box: Sandbox;
    beforeAll(async () => {
      box = await createDockerSandbox({ image: image!, ...options });
    });
    afterAll(() => box.close());

    const text = async (script: string): Promise<string> => (await box.exec(script)).stdout.text.trim();
    const keep = (script: string) => box.exec(script, { keepShell: true, cwd: "/tmp" });

    test("is that of the image and no more, with the home of the user", async () => {
      const { Config } = await docker.getImage(image!).inspect();
      const names = (Config.Env ?? []).map((pair) => pair.slice(0, pair.indexOf("=")));
      const own = ["HOME", "HOSTNAME", "PATH", "PWD", "SHLVL", "_"];
      expect((await text("env | sed 's/=.*//'")).split("\n").sort()).toEqual(
        [...new Set([...names, ...own])].sort(),
      );
      expect(await text('echo "$HOME"')).toBe("user" in options ? "/nonexistent" : "/root");
    });

    test("a script may use every number for its own files", async () => {
      const { exitCode } = await keep("exec 3>/tmp/3 5>/tmp/5 9>/tmp/lock; export A=1; cd /usr");
      expect(exitCode).toBe(0);
      expect(box.shell).toEqual({ cwd: "/usr", env: { A: "1" } });
      expect(await text("cat /tmp/lock")).toBe("");
    });

    test("a script may change where commands are looked for, and what may be overwritten", async () => {
      await keep("set -C; export PATH=/nonexistent Z=1; cd /usr");
      expect(box.shell).toMatchObject({ cwd: "/usr", env: { PATH: "/nonexistent", Z: "1" } });
      await keep("export PATH=/usr/bin:/bin");
    });

    test("a variable of the image that was unset stays so, in forks too, until it is set again", async () => {
      await keep("unset HOME");
      expect(box.shell.unset).toEqual(["HOME"]);
      const snapshot = await box.snapshot();
      const fork = await box.fork(snapshot);
      const show = `sh -c 'echo "\${HOME-unset}"'`;
      expect([await text(show), (await fork.exec(show)).stdout.text]).toEqual(["unset", "unset\n"]);
      expect((await box.exec(show, { env: { HOME: "/given" } })).stdout.text).toBe("/given\n");
      await keep("export HOME=/own");
      expect([box.shell.unset, box.shell.env.HOME]).toEqual([undefined, "/own"]);
      await fork.close();
      await box.release(snapshot);
    });

    test("the same in a shell whose own numbers end at 9", async () => {
      if (name === "overlay, as a user") return;
      await box.exec(["mv", "/bin/bash", "/bin/away"]);
      await keep("exec 9>/tmp/lock; export A=dash; cd /usr");
      expect(box.shell).toMatchObject({ cwd: "/usr", env: { A: "dash" } });
      expect(await text("cat /tmp/lock")).toBe("");
      await box.exec(["mv", "/bin/away", "/bin/bash"]);
    });

    test("where `env` does not run, the variables are as before", async () => {
      if (name === "overlay, as a user") return;
      await keep("export B=1; cd /usr");
      await keep("mv /usr/bin/env /usr/bin/away; export B=2; cd /var");
      expect(box.shell).toMatchObject({ cwd: "/var", env: { B: "1" } });
    });
  });

  test("HOME is the image's where it sets one, whoever the user is", async () => {
    const container = await docker.createContainer({ Image: image!, Cmd: ["true"] });
    const { Id } = (await container.commit({ changes: "ENV HOME=/image" })) as { Id: string };
    await container.remove();
    const box = await createDockerSandbox({ image: Id, engine: "overlay", user: "nobody" });
    expect((await box.exec('echo "$HOME"')).stdout.text).toBe("/image\n");
    await box.close();
    await docker.getImage(Id).remove({ force: true });
  });
});
