import { ForkGymError } from "../errors.ts";
import type { Handle } from "./branch.ts";
import { after } from "./limits.ts";

/** The handles of one tree that are open. */
export class Handles<Data, Obs, Act> {
  readonly #open = new Set<Handle<Data, Obs, Act>>();

  add(handle: Handle<Data, Obs, Act>): Handle<Data, Obs, Act> {
    this.#open.add(handle);
    return handle;
  }

  /** Begins closing; what fails is told by `closeAll`. */
  close(handle: Handle<Data, Obs, Act>): void {
    handle.close().then(
      () => this.#open.delete(handle),
      () => {},
    );
  }

  /** Closes what is open, all at once, and leaves behind what is not closed after `ms`. */
  async closeAll(ms: number, onProblem: (error: unknown) => void): Promise<void> {
    if (this.#open.size === 0) return;
    let late = () => {};
    const limit = new Promise<void>((resolve) => {
      late = resolve;
    });
    const timer = after(ms, late);
    await Promise.all([...this.#open].map((handle) => this.#closeWithin(handle, ms, limit).catch(onProblem)));
    clearTimeout(timer);
  }

  async #closeWithin(handle: Handle<Data, Obs, Act>, ms: number, limit: Promise<void>): Promise<void> {
    let closed = false;
    const closing = handle.close().finally(() => {
      closed = true;
    });
    await Promise.race([closing, limit]);
    if (closed) return;
    handle.abandon();
    throw new ForkGymError(`rollout: closing took longer than ${ms} ms, the Env is left behind`);
  }
}
