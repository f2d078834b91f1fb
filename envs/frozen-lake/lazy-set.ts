import { sha256 } from "../../core/json.ts";
import type { Task, TaskSet } from "../../core/task.ts";
import type { LakeMap } from "./lake.ts";

/** A task set of lakes; its digest is the SHA-256 of the maps, rows joined by "/" and maps by a newline. */
export function lazySet<Data extends { readonly map: LakeMap }>(spec: {
  readonly name: string;
  readonly version: number;
  readonly size: number;
  readonly summary: string;
  /** Makes the task at an index that is in range; called once for each. */
  readonly task: (index: number) => Task<Data>;
}): TaskSet<Data> {
  const { name, version, size, summary } = spec;
  const tasks: Task<Data>[] = [];
  let digest: string | undefined;
  const at = (index: number): Task<Data> => {
    if (!Number.isInteger(index) || index < 0 || index >= size) {
      throw new RangeError(`${name}: expected an index from 0 to ${size - 1}, got ${index}`);
    }
    tasks[index] ??= spec.task(index);
    return tasks[index];
  };
  return {
    name,
    version,
    size,
    summary,
    at,
    digest() {
      digest ??= sha256(Array.from({ length: size }, (_, i) => at(i).data.map.join("/")).join("\n"));
      return digest;
    },
  };
}
