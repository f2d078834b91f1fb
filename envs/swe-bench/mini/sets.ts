import { InputError } from "../../../core/errors.ts";
import { canonicalJson, sha256 } from "../../../core/json.ts";
import type { TaskSet } from "../../../core/task.ts";
import type { NamedTaskSet } from "../../kit.ts";
import { checkOptions } from "../../options.ts";
import type { SweInstance } from "../instance.ts";
import { toInstance } from "../rows/normalise.ts";
import { miniRows } from "./rows.ts";

const NAME = "swe-mini";
const SUMMARY = "small Python repositories of our own with a bug; they need no image and no network";

let instances: readonly SweInstance[] | undefined;

/** All tasks of `swe-mini`, from easy to hard. */
export function miniInstances(): readonly SweInstance[] {
  instances ??= miniRows().map((row) => toInstance(row, "swe-bench"));
  return instances;
}

/** The task set `swe-mini`; its digest is the SHA-256 of the instances as canonical JSON. */
export const miniSets: readonly NamedTaskSet<SweInstance>[] = [
  {
    name: NAME,
    summary: SUMMARY,
    options: { ids: "only these tasks, ids separated by commas" },
    make(options = {}): TaskSet<SweInstance> {
      checkOptions(NAME, ["ids"], options);
      return setOf(options.ids === undefined ? miniInstances() : options.ids.split(",").map(named));
    },
  },
];

function named(id: string): SweInstance {
  const found = miniInstances().find((instance) => instance.id === id.trim());
  if (found !== undefined) return found;
  const all = miniInstances().map((instance) => instance.id);
  throw new InputError(`${NAME}: expected \`ids\` to be of ${all.join(", ")}, got ${JSON.stringify(id)}`);
}

function setOf(tasks: readonly SweInstance[]): TaskSet<SweInstance> {
  let digest: string | undefined;
  return {
    name: NAME,
    version: 1,
    size: tasks.length,
    summary: SUMMARY,
    at(index) {
      const data = tasks[index];
      if (data !== undefined) return { id: data.id, data };
      throw new RangeError(`${NAME}: expected an index from 0 to ${tasks.length - 1}, got ${index}`);
    },
    digest() {
      digest ??= sha256(canonicalJson(tasks));
      return digest;
    },
  };
}
