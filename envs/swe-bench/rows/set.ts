import { InputError } from "../../../core/errors.ts";
import type { TaskSet } from "../../../core/task.ts";
import { checkOptions } from "../../options.ts";
import type { SweInstance } from "../instance.ts";
import { miniInstances } from "../mini/index.ts";
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

/** The task set of a file of rows. Option `ids`: only these, separated by commas. @throws {InputError} */
export async function loadSet(
  file: string,
  options: Readonly<Record<string, string>>,
  onNote: (line: string) => void,
): Promise<TaskSet<SweInstance>> {
  checkOptions("swe-bench", ["ids"], options);
  const chosen = chosenBy(await instancesOf(file, onNote), options.ids?.split(","));
  if (chosen.length === 0) throw new InputError(`swe-bench: ${file} holds no row that could be read`);
  return setOfInstances(`swe-bench:${file}`, `${chosen.length} instances of ${file}`, chosen);
}

/** The instances of these ids, in the order of the ids; all if none are given. @throws {InputError} naming what is not there. */
export function chosenBy(
  instances: readonly SweInstance[],
  ids: readonly string[] | undefined,
): readonly SweInstance[] {
  if (ids === undefined) return instances;
  const known = new Map(instances.map((instance) => [instance.id, instance]));
  return ids.map((id) => {
    const found = known.get(id.trim());
    if (found === undefined)
      throw new InputError(`swe-bench: no instance ${JSON.stringify(id.trim())} in the data set`);
    return found;
  });
}

/** The instances of a file of rows, or of `swe-mini`. @throws {InputError} if the file cannot be read. */
export async function instancesOf(
  file: string,
  onNote: (line: string) => void,
): Promise<readonly SweInstance[]> {
  if (file === "swe-mini") return miniInstances();
  const { instances, refused } = await readInstances(file);
  for (const { message } of refused) onNote(`left out: ${message}`);
  return instances;
}
