import { Fault } from "../tree/fault.ts";
import type { Node } from "../tree/node.ts";
import { at, GnuError, type GnuWorld, reasonOf } from "./call.ts";

/** The bytes of a file, or of stdin for `-`. @throws {GnuError} with the name and the reason */
export function contentOf(world: GnuWorld, name: string): Uint8Array {
  if (name === "-" || name === "/dev/stdin") return world.stdin;
  const piped = world.piped.get(name);
  if (piped) return piped;
  return attempt(name, () => world.tree.read(at(world, name)));
}

/** Work on a file. @throws {GnuError} with its name and the reason if there is a fault */
export function attempt<T>(name: string, work: () => T, what = ""): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw new GnuError(`${what}${what ? `'${name}'` : name}: ${reasonOf(error)}`);
  }
}

/** What is at a path, a link followed; undefined if there is nothing. */
export function found(world: GnuWorld, name: string): Node | undefined {
  try {
    return world.tree.find(at(world, name));
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

/** Bytes as characters from 0 to 255, and back. */
export function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
}

export function bytesOf(text: string): Buffer {
  return Buffer.from(text, "latin1");
}

/** `10`, `4K`, `2MB`: a number of bytes. @throws {GnuError} if it is none */
export function sizeOf(text: string, what: string): number {
  const [, digits, unit = "", isThousand] = /^(\d+)([KMG]?)(B?)$/i.exec(text) ?? [];
  if (digits === undefined || (isThousand && !unit)) throw new GnuError(`invalid ${what}: '${text}'`);
  return Number(digits) * (isThousand ? 1000 : 1024) ** " KMG".indexOf(unit.toUpperCase() || " ");
}
