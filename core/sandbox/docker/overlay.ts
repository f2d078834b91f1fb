import type Docker from "dockerode";
import type { Snapshot } from "../../env.ts";
import { SnapshotError } from "../../errors.ts";
import type { Sandbox, ShellState } from "../sandbox.ts";
import type { Reply } from "./connection.ts";
import { DockerSandbox, type Engine, type Place } from "./docker-sandbox.ts";
import { Machine, type MachineOptions } from "./machine.ts";

/** What is behind a snapshot, and how often it was taken. */
interface Held {
  readonly machine: Machine;
  readonly number: number;
  readonly shell: ShellState;
  takes: number;
}

type OverlaySnapshot = {
  readonly kind: "docker/overlay";
  readonly container: string;
  readonly number: number;
};

/** Snapshots of this process by container and number. */
const held = new Map<string, Held>();
/** Branches and snapshots of each container that is up; it goes when there are none. */
const users = new WeakMap<Machine, number>();

/** One container per tree; branches are overlay mounts in it, forked in milliseconds whatever has changed. */
class OverlayEngine implements Engine {
  readonly flags = { backend: "docker/overlay", backgroundProcesses: false, anyProgram: true } as const;
  readonly #last = new WeakMap<Place, { readonly key: string; readonly shell: ShellState }>();

  async snapshot(place: Place, shell: ShellState): Promise<Snapshot> {
    const { machine, branch } = place;
    const last = this.#last.get(place);
    const before = last && held.get(last.key);
    if (before !== undefined && !place.touched && same(last!.shell, shell)) {
      before.takes++;
      return nameOf(before);
    }
    // A command that begins from now on sets it again.
    place.touched = false;
    const { answer } = await counted(machine, { op: "freeze", branch }).catch((error: unknown) => {
      place.touched = true;
      throw error;
    });
    const { snapshot: number, changed } = answer as { snapshot: number; changed: boolean };
    if (before !== undefined && before.takes > 0 && !changed && same(last!.shell, shell)) {
      before.takes++;
      await machine.request({ op: "release", snapshot: number });
      await use(machine, -1);
      return nameOf(before);
    }
    const taken: Held = { machine, number, shell, takes: 1 };
    const key = keyOf(nameOf(taken));
    held.set(key, taken);
    this.#last.set(place, { key, shell });
    return nameOf(taken);
  }

  async fork(snapshot: Snapshot): Promise<Sandbox> {
    const { machine, number, shell } = heldBy(snapshot);
    return openBranch(machine, { snapshot: number }, shell);
  }

  async release(snapshot: Snapshot): Promise<void> {
    const key = keyOf(check(snapshot));
    const taken = held.get(key);
    if (taken === undefined || --taken.takes > 0) return;
    held.delete(key);
    const { machine, number } = taken;
    if (machine.connection.broken === undefined) await machine.request({ op: "release", snapshot: number });
    await use(machine, -1);
  }

  async close({ machine, branch }: Place): Promise<void> {
    if (machine.connection.broken === undefined) {
      await machine.request({ op: "close", branch }).catch(() => {});
    }
    await use(machine, -1);
  }
}

const engine = new OverlayEngine();

/** Snapshots of this kind, whoever took them. */
export const overlaySnapshots: Pick<Engine, "fork" | "release"> = engine;

/** A container and its first branch. */
export async function startOverlay(
  docker: Docker,
  options: MachineOptions,
  shell: ShellState,
): Promise<Sandbox> {
  const machine = await Machine.start(docker, { ...options, overlay: true });
  try {
    return await openBranch(machine, {}, shell);
  } catch (error) {
    await machine.close();
    throw error;
  }
}

async function openBranch(machine: Machine, from: object, shell: ShellState): Promise<Sandbox> {
  const { answer } = await counted(machine, { op: "create", ...from });
  return new DockerSandbox(engine, { machine, branch: Number(answer.branch), touched: true }, shell);
}

/** Asks for a branch or a snapshot, which is counted before it is there, so that the container does not go meanwhile. */
async function counted(machine: Machine, body: object): Promise<Reply> {
  use(machine, 1);
  try {
    return await machine.request(body);
  } catch (error) {
    await use(machine, -1).catch(() => {});
    throw error;
  }
}

/** Counts branches and snapshots; the container goes with the last. */
async function use(machine: Machine, change: number): Promise<void> {
  const count = (users.get(machine) ?? 0) + change;
  users.set(machine, count);
  if (count === 0) await machine.close();
}

function nameOf({ machine, number }: Held): OverlaySnapshot {
  return { kind: "docker/overlay", container: machine.id, number };
}

function keyOf({ container, number }: OverlaySnapshot): string {
  return `${container} ${number}`;
}

function check(snapshot: Snapshot): OverlaySnapshot {
  const { kind, container, number } = snapshot;
  if (kind === "docker/overlay" && typeof container === "string" && typeof number === "number") {
    return snapshot as OverlaySnapshot;
  }
  throw new SnapshotError(`docker: expected a snapshot of kind docker/overlay, got ${JSON.stringify(kind)}`);
}

function heldBy(snapshot: Snapshot): Held {
  const found = held.get(keyOf(check(snapshot)));
  if (found !== undefined) return found;
  throw new SnapshotError("docker: the snapshot was released, or another process holds it");
}

function same(a: ShellState, b: ShellState): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
