import { parentPort } from "node:worker_threads";
import { messageOf } from "../../core/errors.ts";
import { type CellKey, runCell } from "./cell.ts";

/** Runs the cells that it is sent, one after the other, and answers with each result. */
parentPort!.on("message", async (key: CellKey) => {
  try {
    const result = await runCell(key, (update) => parentPort!.postMessage({ update }));
    parentPort!.postMessage({ result });
  } catch (error) {
    parentPort!.postMessage({ error: messageOf(error) });
  }
});
