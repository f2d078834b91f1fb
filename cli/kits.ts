import { InputError } from "../core/errors.ts";
import type { TaskSet } from "../core/task.ts";
import { environments } from "../envs/index.ts";
import type { AnyEnvKit, NamedTaskSet } from "../envs/kit.ts";

/** The environment of that name. @throws {InputError} naming those there are. */
export function kitOf(name: string): AnyEnvKit {
  const kit = environments.find((candidate) => candidate.name === name);
  if (kit !== undefined) return kit;
  throw new InputError(
    `no environment "${name}"; there are ${environments.map((each) => each.name).join(", ")}`,
  );
}

/** A task set and the environment that it belongs to. @throws {InputError} naming those there are. */
export function namedSetOf(name: string): { readonly kit: AnyEnvKit; readonly named: NamedTaskSet<unknown> } {
  for (const kit of environments) {
    const named = kit.sets.find((candidate) => candidate.name === name);
    if (named !== undefined) return { kit, named };
  }
  const names = environments.flatMap(({ sets }) => sets.map((set) => set.name));
  throw new InputError(`no task set "${name}"; there are ${names.join(", ")}`);
}

/** A task set with its options. @throws {InputError} on an unknown set, option or value. */
export function setOf(
  name: string,
  options: Readonly<Record<string, string>>,
): { readonly kit: AnyEnvKit; readonly set: TaskSet<unknown> } {
  const { kit, named } = namedSetOf(name);
  return { kit, set: named.make(options) };
}
