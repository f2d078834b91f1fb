import Docker from "dockerode";

/** What anyone would do without ForkGym: `docker commit`, then `docker run` of a first command. */
export class PlainDocker {
  readonly #docker = new Docker();
  readonly #container: Docker.Container;

  private constructor(container: Docker.Container) {
    this.#container = container;
  }

  /** A container of the image in which `script` has run. */
  static async start(image: string, script: string): Promise<PlainDocker> {
    const docker = new Docker();
    const container = await docker.createContainer({
      Image: image,
      Cmd: ["sleep", "3600"],
      HostConfig: QUIET,
    });
    await container.start();
    const plain = new PlainDocker(container);
    await plain.#exec(script);
    return plain;
  }

  /** Commits, runs `true` in a container of the image, and waits for its end. The container and image are removed after. */
  async fork(): Promise<() => Promise<void>> {
    const { Id } = (await this.#container.commit({ pause: true })) as { Id: string };
    const child = await this.#docker.createContainer({ Image: Id, Cmd: ["true"], HostConfig: QUIET });
    await child.start();
    await child.wait();
    return async () => {
      await child.remove({ force: true });
      await this.#docker.getImage(Id).remove({ force: true });
    };
  }

  close(): Promise<void> {
    return this.#container.remove({ force: true });
  }

  async #exec(script: string): Promise<void> {
    const exec = await this.#container.exec({
      Cmd: ["sh", "-c", script],
      AttachStdout: true,
      AttachStderr: true,
    });
    const stream = await exec.start({});
    await new Promise((resolve, reject) => stream.on("end", resolve).on("error", reject).resume());
  }
}

const QUIET: Docker.HostConfig = { NetworkMode: "none" };
