import type { Socket } from "node:net";
import type Docker from "dockerode";
import { systemClock } from "../../clock.ts";
import { InputError, messageOf, SandboxError } from "../../errors.ts";
import { Connection, type Reply } from "./connection.ts";
import { imageLabels, labels } from "./labels.ts";
import { type Hold, hold } from "./life.ts";
import { PLAIN_ENTRYPOINT, type PlainRequest, plainRequest } from "./plain.ts";
import { serverProgram } from "./program.ts";

/** What one branch may use, whatever its siblings do. */
export interface BranchLimits {
  /** Its memory and what it keeps in /dev/shm. @default none */
  readonly memoryBytes?: number;
  /** Its processes, one of ours for each command that runs and one that waits for the next included. @default none */
  readonly pids?: number;
}

/** What one process may use (setrlimit). */
export interface ProcessLimits {
  /** Data that it may have in memory (RLIMIT_DATA). @default none */
  readonly dataBytes?: number;
  /** Size of a file that it may write (RLIMIT_FSIZE). @default none */
  readonly fileBytes?: number;
  /** Files that it may have open (RLIMIT_NOFILE). @default Docker's */
  readonly openFiles?: number;
}

/** What a container may use and reach. */
export interface Limits {
  /** Memory of the container, all branches together, in bytes. @default 4 GiB */
  readonly memoryBytes?: number;
  /** Processors, fractions allowed. @default as many as there are */
  readonly cpus?: number;
  /** Processes and threads of the container, all branches together. @default 1024 */
  readonly pids?: number;
  /** Size of /dev/shm, of each branch where there are branches. @default 64 MiB */
  readonly sharedMemoryBytes?: number;
  /**
   * Limits of what the commands of one branch use together (of the container, where there are no branches). Going
   * over one kills them, with a line on their standard error. Over `overlay` the kernel keeps them, in a control group
   * of the branch's own; where none can be made, and in a container without branches, they are looked at ten times a
   * second.
   */
  readonly branch?: BranchLimits;
  /** Limits of each process of a command, on top of the container's. */
  readonly process?: ProcessLimits;
  /** Whether commands reach the network. @default false */
  readonly network?: boolean;
  /** User that commands run as, name or number, with an optional `:group`. @default the image's root */
  readonly user?: string;
}

export interface MachineOptions extends Limits {
  /** Name or id. */
  readonly image: string;
  readonly overlay: boolean;
  /** Whether the image sets HOME, which then holds whoever `user` is. @default false */
  readonly imageHome?: boolean;
  /** Without the command server: each command is a `docker exec`. For images without python3. @default false */
  readonly plain?: boolean;
  /** Label for people, and for `forkgym gc --run`. */
  readonly run?: string;
  /** Told in one line what could not be had. */
  readonly onNote?: (line: string) => void;
}

/** The image lacks what the command server needs. */
export class MissingPython extends InputError {}

/** How long Docker may take to remove a container, on a busy machine. */
const REMOVAL_MS = 60_000;

/** Where branches lie in a container that has them. */
const BRANCHES = "/.forkgym";

/**
 * A container whose process 1 is the command server. It ends, and Docker removes it with its volume, as soon as the
 * connection of its owner does: also when the owner was killed.
 */
export class Machine {
  readonly id: string;
  readonly connection: Connection;
  readonly #container: Docker.Container;
  readonly #socket: Socket;
  readonly #hold: Hold;
  readonly #options: MachineOptions;
  #pending = 0;
  #closed: Promise<void> | undefined;

  private constructor(
    options: MachineOptions,
    container: Docker.Container,
    connection: Connection,
    socket: Socket,
    held: Hold,
  ) {
    this.#options = options;
    this.id = container.id;
    this.#container = container;
    this.connection = connection;
    this.#socket = socket;
    this.#hold = held;
    socket.unref?.();
    // Killed from outside: nobody may come to close it.
    socket.once("close", () => void this.close().catch(() => {}));
  }

  /** @throws {InputError} if the image lacks what the server needs. @throws {SandboxError} */
  static async start(docker: Docker, options: MachineOptions): Promise<Machine> {
    const held = hold(docker);
    let container: Docker.Container | undefined;
    try {
      container = await docker.createContainer(containerOf(options));
      held.made();
      const stream = await container.attach({
        stream: true,
        stdin: true,
        stdout: true,
        stderr: true,
        hijack: true,
      });
      const connection = new Connection(stream as never, container.id.slice(0, 12));
      const ready = connection.ready();
      ready.catch(() => {});
      await container.start();
      if (!options.plain) {
        const { answer } = await ready.catch((error: Error) => {
          const words = connection.lastWords.split("\n").at(-1);
          throw words ? new SandboxError(`docker: the command server did not start: ${words}`) : error;
        });
        if (typeof answer.note === "string") options.onNote?.(`docker: ${answer.note}`);
      }
      return new Machine(options, container, connection, stream as never, held);
    } catch (error) {
      await container?.remove({ force: true, v: true }).catch(() => {});
      held.gone();
      throw explained(error, options.image);
    }
  }

  /** Keeps the process alive until it is answered; an idle container does not. */
  async request(body: object, input?: Uint8Array, onKey?: (kill: () => void) => void): Promise<Reply> {
    if (this.#pending++ === 0) this.#socket.ref?.();
    try {
      if (this.#options.plain) return await this.#plain(body, input, onKey);
      return await this.connection.request(body, input, onKey);
    } finally {
      if (--this.#pending === 0) this.#socket.unref?.();
    }
  }

  /** Rejects as soon as the container is gone, whatever the daemon still answers. */
  async #plain(
    body: PlainRequest,
    input: Uint8Array = new Uint8Array(),
    onKey: (kill: () => void) => void = () => {},
  ): Promise<Reply> {
    const { connection } = this;
    const reply = await connection.whileThere(
      plainRequest(this.#container, this.#options.user, body, input, onKey),
    );
    // Killed, by whomever: if the container was, its connection breaks about now.
    if (reply.answer.exitCode === 137 && reply.answer.timedOut === false) {
      await connection.whileThere(new Promise((resolve) => setTimeout(resolve, 300)));
    }
    return reply;
  }

  /** Commits the container's files as an image; no command may be running. */
  async commit(run: string | undefined): Promise<string> {
    const { Id } = (await this.#container.commit({ pause: false, changes: imageLabels(run).join("\n") })) as {
      Id: string;
    };
    return Id;
  }

  /** Everything in the container as a tar stream. */
  export(): Promise<NodeJS.ReadableStream> {
    return this.#container.export();
  }

  /** Gives up a container that does not answer: every request fails with the reason, and it is removed. */
  abandon(why: string): void {
    this.connection.break(why);
    this.close().catch(() => {});
  }

  /** Ends the container and waits until Docker has removed it. */
  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  async #end(): Promise<void> {
    this.connection.end();
    // Removing by force is quicker than waiting for the end of input to be seen, and does no harm if both happen.
    await this.#container.remove({ force: true, v: true }).catch((error: { statusCode?: number }) => {
      if (error.statusCode !== 404 && error.statusCode !== 409) throw error;
    });
    const until = systemClock.now() + REMOVAL_MS;
    while (await this.#isThere()) {
      if (systemClock.now() > until)
        throw new SandboxError(`docker: container ${this.id.slice(0, 12)} was not removed`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    this.#hold.gone();
  }

  async #isThere(): Promise<boolean> {
    try {
      await this.#container.inspect();
      return true;
    } catch (error) {
      const { statusCode } = error as { readonly statusCode?: number };
      if (statusCode === undefined) throw error;
      return statusCode !== 404;
    }
  }
}

function containerOf(options: MachineOptions): Docker.ContainerCreateOptions {
  const {
    image,
    overlay,
    run,
    memoryBytes = 4 * 2 ** 30,
    cpus,
    pids = 1024,
    sharedMemoryBytes = 64 * 2 ** 20,
    process: limits = {},
    branch = {},
    network = false,
    user,
    imageHome,
  } = options;
  const config = JSON.stringify({ overlay, network, user, imageHome, sharedMemoryBytes, limits, branch });
  return {
    Image: image,
    Entrypoint: options.plain
      ? [...PLAIN_ENTRYPOINT]
      : ["python3", "-I", "-S", "-u", "-c", serverProgram(), config],
    Cmd: [],
    User: "0:0",
    OpenStdin: true,
    StdinOnce: true,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    Labels: labels("container", run),
    HostConfig: {
      AutoRemove: true,
      NetworkMode: network ? "bridge" : "none",
      Memory: memoryBytes,
      ShmSize: sharedMemoryBytes,
      PidsLimit: pids,
      ...(cpus !== undefined && { NanoCpus: Math.round(cpus * 1e9) }),
      ...(overlay && {
        CapAdd: ["SYS_ADMIN", "NET_ADMIN"],
        SecurityOpt: ["apparmor=unconfined"],
        Mounts: [
          // An anonymous volume: an upper directory may not lie on another overlay. It goes with the container.
          {
            Type: "volume",
            Source: "",
            Target: BRANCHES,
            VolumeOptions: { NoCopy: true, Labels: labels("volume", run) },
          } as never,
        ],
      }),
    },
  };
}

function explained(error: unknown, image: string): Error {
  const text = messageOf(error);
  if (/python3.*(not found|no such file)/s.test(text)) {
    return new MissingPython(`docker: image ${image} has no python3, which the command server needs`);
  }
  if (error instanceof SandboxError || error instanceof InputError) return error;
  return new SandboxError(`docker: no container of ${image}: ${text}`, { cause: error });
}
