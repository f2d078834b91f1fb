import { type Command, Option } from "commander";
import { tasksOf } from "../../core/task.ts";
import { environments } from "../../envs/index.ts";
import type { AnyEnvKit } from "../../envs/kit.ts";
import { type Globals, outputOf, setOptions, whole } from "../command.ts";
import { setOf } from "../kits.ts";
import { table } from "../tables.ts";

interface Options extends Globals {
  readonly digest?: boolean;
  readonly limit?: string;
  readonly set: Record<string, string>;
  readonly head: number;
}

export function tasksVerb(program: Command): void {
  program
    .command("tasks")
    .description("list the task sets, or the tasks of one")
    .argument("[set]", "task set, for example frozen-lake/rllm-test")
    .option("--digest", "print the SHA-256 of the set's content and nothing else")
    .option("--head <n>", "how many tasks to list", whole(1), 5)
    .addOption(new Option("--limit <n>", "the same as --set limit=n: the depth limit of rLLM's map search"))
    .addOption(setOptions())
    .action(async (name: string | undefined, options: Options, command: Command) => {
      const output = outputOf(command);
      const given = options.limit === undefined ? options.set : { ...options.set, limit: options.limit };
      if (name === undefined) listSets(output);
      else if (options.digest) await printDigest(name, given, output);
      else await listTasks(name, given, options.head, output);
    });
}

function listSets(output: ReturnType<typeof outputOf>): void {
  const sets = environments.flatMap((kit) => kit.sets.map((set) => ({ env: kit.name, ...set })));
  output.json(sets.map(({ env, name, summary, options = {} }) => ({ env, name, summary, options })));
  output.line(
    table(
      ["task set", "what it is"],
      sets.map(({ name, summary }) => [name, summary]),
    ),
  );
  for (const { name, options } of sets) {
    for (const [option, help] of Object.entries(options ?? {}))
      output.line(`${name} --set ${option}=…  ${help}`);
  }
}

async function printDigest(
  name: string,
  options: Record<string, string>,
  output: ReturnType<typeof outputOf>,
): Promise<void> {
  const digest = (await setOf(name, options, output.note)).set.digest();
  output.json({ set: name, options, digest });
  output.line(digest);
}

async function listTasks(
  name: string,
  options: Record<string, string>,
  head: number,
  output: ReturnType<typeof outputOf>,
): Promise<void> {
  const { kit, set } = await setOf(name, options, output.note);
  const tasks = [...tasksOf(set, head)];
  output.json({ env: kit.name, set: name, version: set.version, size: set.size, tasks });
  output.line(`${set.name}, version ${set.version}: ${set.summary}`);
  for (const { id, data } of tasks) output.line(`${id}  ${lineOf(kit, data)}`);
  if (tasks.length < set.size) output.line(`… ${set.size - tasks.length} more; --head ${set.size} lists all`);
}

/** Characters of a task in words; more is cut. */
const LINE = 120;

function lineOf(kit: AnyEnvKit, data: unknown): string {
  if (kit.line === undefined) return JSON.stringify(data);
  const line = kit.line(data);
  return line.length > LINE ? `${line.slice(0, LINE - 1)}…` : line;
}
