import type { Command } from "commander";
import { environments } from "../../envs/index.ts";
import { outputOf } from "../command.ts";
import { table } from "../tables.ts";

export function envsVerb(program: Command): void {
  program
    .command("envs")
    .description("list the environments")
    .action((_: unknown, command: Command) => {
      const output = outputOf(command);
      const rows = environments.map(({ name, summary, sets, progress, dialogue, learning }) => ({
        name,
        summary,
        sets: sets.map((set) => set.name),
        scorer: progress?.name ?? null,
        dialogue: dialogue?.name ?? null,
        learner: learning !== undefined,
      }));
      output.json(rows);
      output.line(
        table(
          ["environment", "what it is", "task sets", "scorer", "dialogue"],
          rows.map((row) => [
            row.name,
            row.summary,
            row.sets.join(", "),
            row.scorer ?? "-",
            row.dialogue ?? "-",
          ]),
        ),
      );
    });
}
