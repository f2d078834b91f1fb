import { sha256 } from "../../core/json.ts";
import type { Task, TaskSet } from "../../core/task.ts";

/** A set of these tasks. */
export function taskSet<Data>(tasks: readonly Task<Data>[]): TaskSet<Data> {
  return {
    name: "fake/set",
    version: 1,
    size: tasks.length,
    summary: "tasks for tests",
    at(index) {
      const task = tasks[index];
      if (task === undefined) throw new RangeError(`fake/set: no task ${index}`);
      return task;
    },
    digest: () => sha256(JSON.stringify(tasks)),
  };
}
