import { setTimeout as wait } from "node:timers/promises";
import type Docker from "dockerode";
import { imageLabels, quoted } from "./labels.ts";
import { type Hold, hold } from "./life.ts";
import type { Machine } from "./machine.ts";

/** Docker allows 127 layers; a chain is flattened before. */
const MOST_LAYERS = 100;
/** Between tries to remove what nothing of ours needs any more; each pause is twice the last. */
const FIRST_PAUSE_MS = 10;
const LAST_PAUSE_MS = 2000;

/** Images made by commits, removed once neither a snapshot nor a container needs them. */
export class Images {
  readonly #docker: Docker;
  readonly #mostLayers: number;
  /** Times each of our images was taken as a snapshot and not released. */
  readonly #takes = new Map<string, number>();
  /** Containers made of each image, ours or not. */
  readonly #uses = new Map<string, number>();
  /** Ours and no longer needed, but Docker refused: a child image still stands on it. */
  readonly #waiting = new Set<string>();
  readonly #holds = new Map<string, Hold>();
  #sweeping: Promise<void> = Promise.resolve();

  /** @param mostLayers layers above which a commit is flattened. */
  constructor(docker: Docker, mostLayers: number = MOST_LAYERS) {
    this.#docker = docker;
    this.#mostLayers = mostLayers;
  }

  has(image: string): boolean {
    return (this.#takes.get(image) ?? 0) > 0;
  }

  /** Takes an image once more; false if it was released. */
  take(image: string): boolean {
    if (!this.has(image)) return false;
    this.#takes.set(image, this.#takes.get(image)! + 1);
    return true;
  }

  async commit(machine: Machine, run: string | undefined): Promise<string> {
    const committed = await this.#make(() => machine.commit(run));
    try {
      const { RootFS, Config } = await this.#docker.getImage(committed).inspect();
      if ((RootFS.Layers?.length ?? 0) <= this.#mostLayers) return committed;
      const flat = await this.#make(() => this.#flatten(machine, Config, run));
      await this.drop(committed);
      return flat;
    } catch (error) {
      await this.drop(committed);
      throw error;
    }
  }

  /** An image that is taken once. */
  async #make(work: () => Promise<string>): Promise<string> {
    const held = hold(this.#docker);
    try {
      const image = await work();
      held.made();
      this.#holds.set(image, held);
      this.#takes.set(image, 1);
      return image;
    } catch (error) {
      held.gone();
      throw error;
    }
  }

  /** The same files as one layer, with what of the image's settings a command notices. */
  async #flatten(
    machine: Machine,
    { Env, WorkingDir }: { Env: string[] | null; WorkingDir: string },
    run: string | undefined,
  ) {
    const changes = [
      ...(Env ?? []).map((pair) => {
        const at = pair.indexOf("=");
        return `ENV ${pair.slice(0, at)}=${quoted(pair.slice(at + 1))}`;
      }),
      ...(WorkingDir ? [`WORKDIR ${WorkingDir}`] : []),
      ...imageLabels(run),
    ];
    const stream = await this.#docker.importImage((await machine.export()) as never, { changes } as never);
    const events = await new Promise<{ status?: string }[]>((resolve, reject) => {
      this.#docker.modem.followProgress(stream as unknown as NodeJS.ReadableStream, (error, output) =>
        error ? reject(error) : resolve(output),
      );
    });
    return events.at(-1)!.status!.trim();
  }

  use(image: string): void {
    this.#uses.set(image, (this.#uses.get(image) ?? 0) + 1);
  }

  async free(image: string): Promise<void> {
    this.#uses.set(image, this.#uses.get(image)! - 1);
    await this.#sweep(image);
  }

  async drop(image: string): Promise<void> {
    const takes = this.#takes.get(image) ?? 0;
    if (takes === 0) return;
    this.#takes.set(image, takes - 1);
    await this.#sweep(image);
  }

  /** One sweep at a time: a parent is refused while the removal of its child is still under way. */
  #sweep(image: string): Promise<void> {
    if (this.#takes.get(image) === 0 && (this.#uses.get(image) ?? 0) === 0) {
      this.#takes.delete(image);
      this.#waiting.add(image);
    }
    this.#sweeping = this.#sweeping.then(() => this.#removeWaiting());
    return this.#sweeping;
  }

  /** A child that goes frees its parent, so those that were refused are tried again, the newest first. */
  async #removeWaiting(): Promise<void> {
    let pauseMs = FIRST_PAUSE_MS;
    while (this.#waiting.size > 0) {
      const before = this.#waiting.size;
      for (const each of [...this.#waiting].reverse()) {
        if (await this.#remove(each)) this.#waiting.delete(each);
      }
      if (this.#waiting.size < before) continue;
      // Refused for something of ours that lives: its own end comes here again. Else Docker is still at removing a container.
      if (this.#isNeeded() || pauseMs > LAST_PAUSE_MS) return;
      await wait(pauseMs);
      pauseMs *= 2;
    }
  }

  #isNeeded(): boolean {
    return [...this.#takes.values(), ...this.#uses.values()].some((count) => count > 0);
  }

  async #remove(image: string): Promise<boolean> {
    try {
      // Else Docker would also remove the nameless image it stands on, although that is a snapshot too.
      await this.#docker.getImage(image).remove({ force: true, noprune: true });
    } catch (error) {
      if ((error as { readonly statusCode?: number }).statusCode !== 404) return false;
    }
    this.#holds.get(image)?.gone();
    this.#holds.delete(image);
    return true;
  }
}
