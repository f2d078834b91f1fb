import { setTimeout } from "node:timers/promises";
import Docker from "dockerode";
import type { Change } from "./changes.ts";

/** What anyone would do without ForkGym: `docker commit`, then `docker run` of a first command. */
export class PlainDocker {
  readonly #docker = new Docker();
  readonly #container: Docker.Container;
  readonly #first: readonly string[];

  private constructor(container: Docker.Container, made: string) {
    this.#container = container;
    this.#first = ["test", "-e", made];
  }

  /**
   * A container of the image in which `script` has run. The first command of each fork tests that `made` is there: a
   * fork without the changes would be fast for nothing.
   */
  static async start(image: string, { script, made }: Change): Promise<PlainDocker> {
    const docker = new Docker();
    const container = await docker.createContainer({
      Image: image,
      Cmd: ["sleep", "3600"],
      HostConfig: QUIET,
    });
    await container.start();
    const plain = new PlainDocker(container, made);
    await plain.#exec(script);
    return plain;
  }

  /**
   * Commits, runs a first command in a container of the image, and waits for its end. The container and image are
   * removed after.
   */
  async fork(): Promise<() => Promise<void>> {
    const { Id } = (await this.#container.commit({ pause: true })) as { Id: string };
    const child = await this.#docker.createContainer({ Image: Id, Cmd: [...this.#first], HostConfig: QUIET });
    await child.start();
    const { StatusCode } = (await child.wait()) as { StatusCode: number };
    if (StatusCode !== 0)
      throw new Error(`bench: \`${this.#first.join(" ")}\` exits ${StatusCode} in a fork`);
    return async () => {
      await child.remove({ force: true });
      await this.#docker.getImage(Id).remove({ force: true });
    };
  }

  close(): Promise<void> {
    return this.#container.remove({ force: true });
  }

  /** Detached: the daemon kills what is attached to a connection that goes. */
  async #exec(script: string): Promise<void> {
    const exec = await this.#container.exec({ Cmd: ["sh", "-c", script] });
    // Its empty answer is read, or the connection would keep this process for minutes.
    (await exec.start({ Detach: true })).resume();
    for (;;) {
      const { Running, ExitCode } = await exec.inspect();
      if (!Running && ExitCode === 0) return;
      if (!Running) throw new Error(`bench: the script that changes files exits ${ExitCode} in plain Docker`);
      await setTimeout(20);
    }
  }
}

const QUIET: Docker.HostConfig = { NetworkMode: "none" };
