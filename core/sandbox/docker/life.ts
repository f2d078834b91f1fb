import { constants } from "node:os";
import type Docker from "dockerode";
import { listMade, removeMade } from "./gc.ts";
import { owner } from "./labels.ts";
import { reap } from "./reaper.ts";

/** Something that was made in Docker, or is being made: as long as there is one, the end of the process is watched. */
export interface Hold {
  /** It is there now, so that whoever looks finds it. */
  made(): void;
  /** It is gone, or did not come to be. */
  gone(): void;
}

interface Held extends Hold {
  readonly docker: Docker;
  making: boolean;
}

const held = new Set<Held>();
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** On our listeners, so that another copy of this module does not take them for the application's. */
const OURS = Symbol.for("forkgym.life");
let swept = false;

/**
 * Call before making something in Docker. However this process ends, nothing that is held is left:
 *
 * - its event loop is empty: what was not closed or released is removed, then it ends. Nothing idle keeps it alive.
 * - SIGINT, SIGTERM, SIGHUP: everything is removed, then the signal has its usual effect. An application that listens
 *   to the signal itself decides whether it ends; nothing is removed for the signal then.
 * - `process.exit()`, an uncaught exception: a process of its own removes everything. It is waited for up to 1.5 s.
 * - SIGKILL: containers and their volumes go by themselves, images are left to `forkgym gc`.
 *
 * In a worker thread there are no signals, and its end is the end of what it made. A thread that is terminated leaves
 * images to `forkgym gc`.
 */
export function hold(docker: Docker): Hold {
  const one: Held = {
    docker,
    making: true,
    made: () => {
      one.making = false;
    },
    gone: () => {
      if (held.delete(one) && held.size === 0) disarm();
    },
  };
  if (held.size === 0) arm();
  held.add(one);
  return one;
}

function arm(): void {
  swept = false;
  process.on("beforeExit", onEmpty);
  process.on("exit", onExit);
  for (const signal of SIGNALS) process.on(signal, onSignal);
}

function disarm(): void {
  process.off("beforeExit", onEmpty);
  process.off("exit", onExit);
  for (const signal of SIGNALS) process.off(signal, onSignal);
}

function forget(): void {
  held.clear();
  disarm();
}

async function onEmpty(): Promise<void> {
  if (swept) return; // It failed, and the loop is empty again: the rest is for `onExit`.
  swept = true;
  const all = await Promise.allSettled([...new Set([...held].map(({ docker }) => docker))].map(removeOwn));
  if (all.every((each) => each.status === "fulfilled" && each.value === 0)) forget();
}

/** @returns how many things are left. */
async function removeOwn(docker: Docker): Promise<number> {
  const own = owner();
  const failures = await removeMade(
    docker,
    (await listMade(docker)).filter((made) => `${made.owner} `.startsWith(`${own} `)),
  );
  return failures.length;
}

function onExit(): void {
  reapAll();
}

/** No code of the application runs before the end, so that it does not see its sandboxes break. */
function onSignal(signal: NodeJS.Signals): void {
  const others = process.listeners(signal).filter((listener) => !(OURS in listener)).length;
  if (others > numDeferring()) return;
  reapAll();
  forget();
  // The kernel spares process 1 of a container the signal's usual effect.
  if (process.pid === 1) process.exit(128 + constants.signals[signal]);
  process.kill(process.pid, signal);
}
Object.assign(onSignal, { [OURS]: true });

/**
 * Listeners of the package signal-exit, which many command-line libraries bring. They are not the application's: each
 * waits until nobody else listens, and then lets the signal have its effect. So it must not be waited for.
 */
function numDeferring(): number {
  const places = [
    (globalThis as Record<symbol, unknown>)[Symbol.for("signal-exit emitter")],
    (process as { readonly __signal_exit_emitter__?: unknown }).__signal_exit_emitter__, // its version 3
  ] as ({ readonly count?: number } | undefined)[];
  return places.reduce((sum, place) => sum + (place?.count ?? 0), 0);
}

function reapAll(): void {
  const patient = [...held].some(({ making }) => making);
  reap(new Set([...held].map(({ docker }) => docker)), owner(), patient);
}
