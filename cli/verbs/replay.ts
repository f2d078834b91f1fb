import type { Command } from "commander";
import { InputError } from "../../core/errors.ts";
import { type Difference, replay } from "../../core/run/replay.ts";
import { countTrees, readTrees, TREES } from "../../core/run/rollout-run.ts";
import { readManifest } from "../../core/run/run-folder.ts";
import { outputOf } from "../command.ts";
import { configured, kitOf } from "../kits.ts";

/** Differences that are printed; all are counted. */
const SHOWN = 20;

export function replayVerb(program: Command): void {
  program
    .command("replay")
    .description("re-execute every recorded action and compare what comes back")
    .argument("<run>", "run folder")
    .action(async (path: string, _: unknown, command: Command) => {
      const output = outputOf(command);
      const { config } = await readManifest(path);
      const kit = configured(kitOf(String(config.env)), (config.envOptions ?? {}) as Record<string, string>);
      let [trees, actions] = [0, 0];
      const differences: (Difference & { readonly line: number })[] = [];
      const notes: string[] = [];
      const bar = output.progress("replay", await countTrees(path));
      const onTail = (bytes: number) => {
        notes.push(`${TREES}: left out ${bytes} bytes of a last line that was cut off`);
      };
      for await (const { record, line } of readTrees(path, onTail)) {
        for (const difference of await replay(record, kit.make, kit.normal))
          differences.push({ line, ...difference });
        actions += Math.max(0, record.nodes.length - 1);
        bar.update(++trees);
      }
      bar.stop();
      for (const note of notes) output.note(note);
      if (trees === 0) throw new InputError(`replay: ${path} holds no finished tree yet`);
      output.json({ run: path, trees, actions, differences });
      for (const { line, task, branch, turn, field, recorded, replayed } of differences.slice(0, SHOWN)) {
        output.line(`line ${line}, task ${task}, branch ${branch || "-"}, turn ${turn}: ${field}`);
        output.line(`  recorded ${recorded}`);
        output.line(`  replayed ${replayed}`);
      }
      if (differences.length > SHOWN) output.line(`… and ${differences.length - SHOWN} more`);
      output.line(`${trees} trees, ${actions} actions replayed, ${differences.length} differences`);
      if (differences.length > 0) process.exitCode = 1;
    });
}
