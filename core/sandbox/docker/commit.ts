import type Docker from "dockerode";
import type { Snapshot } from "../../env.ts";
import { messageOf, SandboxError, SnapshotError } from "../../errors.ts";
import type { Sandbox, SandboxFlags, ShellState } from "../sandbox.ts";
import { DockerSandbox, type Engine, type Place } from "./docker-sandbox.ts";
import { Images } from "./images.ts";
import { Machine, type MachineOptions } from "./machine.ts";

type CommitSnapshot = { readonly kind: "docker/commit"; readonly image: string; readonly shell: ShellState };

/** The engine that made each image of ours: any sandbox may be asked to fork or release it. */
const makers = new Map<string, CommitEngine>();

/** An image per snapshot, a container per fork: works with default privileges. */
class CommitEngine implements Engine {
  readonly flags: SandboxFlags;
  readonly #docker: Docker;
  readonly #options: MachineOptions;
  readonly #images: Images;
  /** Image that each container was made of. */
  readonly #made = new WeakMap<Machine, string>();
  readonly #last = new WeakMap<Place, CommitSnapshot>();

  constructor(docker: Docker, options: MachineOptions) {
    this.#docker = docker;
    this.#options = options;
    const plain = options.plain ?? false;
    this.flags = { backend: "docker/commit", backgroundProcesses: plain, anyProgram: true };
    this.#images = new Images(docker);
  }

  async open(image: string, shell: ShellState): Promise<Sandbox> {
    this.#images.use(image);
    try {
      const machine = await Machine.start(this.#docker, { ...this.#options, image, overlay: false });
      this.#made.set(machine, image);
      return new DockerSandbox(this, { machine, touched: true }, shell);
    } catch (error) {
      await this.#images.free(image);
      throw error;
    }
  }

  async snapshot(place: Place, shell: ShellState): Promise<Snapshot> {
    const last = this.#last.get(place);
    if (last !== undefined && !place.touched && this.#images.take(last.image)) {
      if (JSON.stringify(last.shell) === JSON.stringify(shell)) return last;
      return this.#remember(place, { kind: "docker/commit", image: last.image, shell });
    }
    place.touched = false;
    const image = await this.#images.commit(place.machine, this.#options.run).catch((error: unknown) => {
      place.touched = true;
      if (error instanceof SandboxError) throw error;
      throw new SandboxError(`docker: no snapshot, committing the container failed: ${messageOf(error)}`, {
        cause: error,
      });
    });
    makers.set(image, this);
    return this.#remember(place, { kind: "docker/commit", image, shell });
  }

  #remember(place: Place, snapshot: CommitSnapshot): CommitSnapshot {
    this.#last.set(place, snapshot);
    return snapshot;
  }

  fork(snapshot: Snapshot): Promise<Sandbox> {
    return commitSnapshots.fork(snapshot);
  }

  release(snapshot: Snapshot): Promise<void> {
    return commitSnapshots.release(snapshot);
  }

  async drop(image: string): Promise<void> {
    const dropping = this.#images.drop(image);
    if (!this.#images.has(image)) makers.delete(image);
    await dropping;
  }

  async close({ machine }: Place): Promise<void> {
    try {
      await machine.close();
    } finally {
      await this.#images.free(this.#made.get(machine)!);
    }
  }
}

/** Snapshots of this kind, whoever took them. */
export const commitSnapshots: Pick<Engine, "fork" | "release"> = {
  async fork(snapshot) {
    const { image, shell } = check(snapshot);
    const maker = makers.get(image);
    if (maker === undefined)
      throw new SnapshotError("docker: the snapshot was released, or another process holds it");
    return maker.open(image, shell);
  },
  async release(snapshot) {
    const { image } = check(snapshot);
    await makers.get(image)?.drop(image);
  },
};

export function startCommit(docker: Docker, options: MachineOptions, shell: ShellState): Promise<Sandbox> {
  return new CommitEngine(docker, options).open(options.image, shell);
}

function check(snapshot: Snapshot): CommitSnapshot {
  const { kind, image, shell } = snapshot;
  if (kind === "docker/commit" && typeof image === "string" && typeof shell === "object") {
    return snapshot as unknown as CommitSnapshot;
  }
  throw new SnapshotError(`docker: expected a snapshot of kind docker/commit, got ${JSON.stringify(kind)}`);
}
