import { InputError } from "../../../core/errors.ts";
import type { TaskSet } from "../../../core/task.ts";
import { checkOptions } from "../../options.ts";
import type { SweInstance } from "../instance.ts";
import { miniInstances } from "../mini/index.ts";
import { whyUngradable } from "./gradable.ts";
import { instancesDigest, readInstances } from "./index.ts";

/** A task set of given instances. */
export function setOfInstances(
  name: string,
  summary: string,
  instances: readonly SweInstance[],
): TaskSet<SweInstance> {
  let digest: string | undefined;
  return {
    name,
    version: 1,
    size: instances.length,
    summary,
    at(index) {
      const instance = instances[index];
      if (instance !== undefined) return { id: instance.id, data: instance };
      throw new RangeError(`${name}: expected an index from 0 to ${instances.length - 1}, got ${index}`);
    },
    digest: () => (digest ??= instancesDigest(instances)),
  };
}

/**
 * The task set of a file of rows. Options: `ids`, only these, separated by commas; `split`, as `readInstances` has it.
 * @param onNote told of rows that were left out, and of those that cannot be graded: no episode of theirs can begin.
 * @throws {InputError}
 */
export async function loadSet(
  file: string,
  options: Readonly<Record<string, string>>,
  onNote: (line: string) => void,
): Promise<TaskSet<SweInstance>> {
  checkOptions("swe-bench", ["ids", "split"], options);
  const chosen = chosenBy(await instancesOf(file, onNote, options.split), options.ids?.split(","));
  if (chosen.length === 0) throw new InputError(`swe-bench: ${file} holds no row that could be read`);
  noteUngradable(chosen, onNote);
  return setOfInstances(`swe-bench:${file}`, `${chosen.length} instances of ${file}`, chosen);
}

function noteUngradable(instances: readonly SweInstance[], onNote: (line: string) => void): void {
  const bad = instances.flatMap((instance) => {
    const why = whyUngradable(instance);
    return why === undefined ? [] : [{ id: instance.id, why }];
  });
  const [first] = bad;
  if (first === undefined) return;
  onNote(
    `swe-bench: ${bad.length} of ${instances.length} rows cannot be graded, and are refused when an episode begins; ` +
      `the first is ${first.id}: ${first.why}`,
  );
}

/**
 * The instances of these ids, each once, in the order of the ids; all if none are given.
 * @throws {InputError} naming what is not there.
 */
export function chosenBy(
  instances: readonly SweInstance[],
  ids: readonly string[] | undefined,
): readonly SweInstance[] {
  if (ids === undefined) return instances;
  const known = new Map(instances.map((instance) => [instance.id, instance]));
  return [...new Set(ids.map((id) => id.trim()))].map((id) => {
    const found = known.get(id);
    if (found === undefined)
      throw new InputError(`swe-bench: no instance ${JSON.stringify(id)} in the data set`);
    return found;
  });
}

/**
 * The instances of a file of rows, or of `swe-mini`.
 * @param split as `readInstances` has it. @default all rows
 * @throws {InputError} if the file cannot be read, or has no such split.
 */
export async function instancesOf(
  file: string,
  onNote: (line: string) => void,
  split?: string,
): Promise<readonly SweInstance[]> {
  if (file === "swe-mini") {
    if (split === undefined) return miniInstances();
    throw new InputError(`swe-bench: swe-mini has no splits, got ${split}; leave the option out`);
  }
  const { instances, refused } = await readInstances(file, { ...(split !== undefined && { split }) });
  for (const { message } of refused) onNote(`left out: ${message}`);
  return instances;
}
