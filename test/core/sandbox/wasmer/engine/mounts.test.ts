import { MessageChannel, Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { Mounts } from "../../../../../core/sandbox/wasmer/engine/mounts.ts";
import { guestThread } from "../../../../../core/sandbox/wasmer/engine/thread.ts";

const NUM_CALLS = 20;

/** A thread that looks for the files 0, 1, 2, and tells what it was answered. */
function guest(run: string): string {
  return `import("node:worker_threads").then((threads) => {
    (${run})(threads);
    const ask = (at) => globalThis.__wasmerHostFileSystem(threads.workerData.mount, "stat", [String(at)]);
    try {
      threads.parentPort.postMessage(Array.from({ length: ${NUM_CALLS} }, (_, at) => ask(at)));
    } catch (error) {
      threads.parentPort.postMessage(String(error));
    }
  });`;
}

test("a thread that is woken without an answer waits on, and each answer goes to its question", async () => {
  const { port1, port2 } = new MessageChannel();
  const signal = new Int32Array(new SharedArrayBuffer(4));
  const late = (name: unknown): Promise<string> =>
    new Promise((resolve) => {
      const wakes = setInterval(() => Atomics.notify(signal, 0), 0);
      setTimeout(() => {
        clearInterval(wakes);
        resolve(`answer ${name}`);
      }, 5);
    });
  const mounts = new Mounts();
  const mount = mounts.add({ answer: (_, args) => late(args[0]) });
  mounts.serve(1, port2, signal);
  const worker = new Worker(guest(String(guestThread)), {
    eval: true,
    workerData: { port: port1, signal, mount },
    transferList: [port1],
  });
  const answers = await new Promise((resolve, reject) => {
    worker.on("message", resolve);
    worker.on("error", reject);
  });
  expect(answers).toEqual(Array.from({ length: NUM_CALLS }, (_, at) => `answer ${at}`));
  await worker.terminate();
});
