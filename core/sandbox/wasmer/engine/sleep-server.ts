import type { FileServer } from "./mounts.ts";

/**
 * A program that looks for the file `0.25-1` has its answer a quarter of a second later. Wasmer looks several times
 * for one look of a program, so each name sleeps once.
 */
export class SleepServer implements FileServer {
  readonly #slept = new Set<string>();

  answer(method: string, args: readonly unknown[]): unknown {
    const name = String(args[0]);
    const there = { name: "", kind: name === "" ? "directory" : "file", size: 0 };
    const seconds = Number.parseFloat(name);
    if (method !== "stat" || !(seconds > 0) || this.#slept.has(name))
      return method === "readDir" ? [] : there;
    this.#slept.add(name);
    const ms = Math.min(seconds * 1000, 2 ** 31 - 1);
    // The program itself keeps the process alive; if it is killed, this must not.
    return new Promise((resolve) => setTimeout(() => resolve(there), ms).unref());
  }
}
