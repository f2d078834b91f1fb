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

/**
 * A task set with its options: one that has a name, or `<environment>:<file>` for a file of the user's.
 * @throws {InputError} on an unknown set, option or value, or a bad file.
 */
export async function setOf(
  name: string,
  options: Readonly<Record<string, string>>,
  onNote: (line: string) => void = () => {},
): Promise<{ readonly kit: AnyEnvKit; readonly set: TaskSet<unknown> }> {
  const at = name.indexOf(":");
  if (at > 0) {
    const kit = kitOf(name.slice(0, at));
    if (kit.load === undefined) throw new InputError(`${kit.name} takes no file of tasks; got "${name}"`);
    return { kit, set: await kit.load(name.slice(at + 1), options, onNote) };
  }
  const { kit, named } = namedSetOf(name);
  return { kit, set: named.make(options) };
}

/** A kit with options of its environment. @throws {InputError} if it has none, or not these. */
export function configured(kit: AnyEnvKit, options: Readonly<Record<string, string>>): AnyEnvKit {
  if (Object.keys(options).length === 0) return kit;
  if (kit.configure !== undefined) return kit.configure(options);
  throw new InputError(`--env: ${kit.name} has no options`);
}
