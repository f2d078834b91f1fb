import type { MessagePort } from "node:worker_threads";
import { Fault } from "../tree/fault.ts";

/** Answers a program's file calls; throws a `Fault` where a kernel would give an error number. */
export interface FileServer {
  answer(method: string, args: readonly unknown[]): unknown;
}

/** The folders that programs see, by the numbers that they ask by, and the threads that ask. */
export class Mounts {
  readonly #servers = new Map<number, FileServer>();
  readonly #callers = new Map<number, Set<number>>();
  #next = 1;

  add(server: FileServer): number {
    this.#servers.set(this.#next, server);
    this.#callers.set(this.#next, new Set());
    return this.#next++;
  }

  remove(mount: number): void {
    this.#servers.delete(mount);
    this.#callers.delete(mount);
  }

  /** The threads that asked for something in a folder. */
  callersOf(mount: number): number[] {
    return [...(this.#callers.get(mount) ?? [])];
  }

  /** Answers a thread, which stands still until `signal` counts one answer more. */
  serve(caller: number, port: MessagePort, signal: Int32Array): void {
    const reply = (message: { readonly value?: unknown; readonly error?: string }): void => {
      port.postMessage(message);
      Atomics.add(signal, 0, 1);
      Atomics.notify(signal, 0);
    };
    port.on("message", ([mount, method, args]: [number, string, readonly unknown[]]) => {
      try {
        const server = this.#servers.get(mount);
        if (!server) throw new Fault("ENOENT", "");
        this.#callers.get(mount)!.add(caller);
        const value = server.answer(method, args);
        if (value instanceof Promise) void value.then((late) => reply({ value: late }));
        else reply({ value });
      } catch (error) {
        reply({ error: error instanceof Fault ? error.code : "EIO" });
      }
    });
    port.unref();
  }
}
