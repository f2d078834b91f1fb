import type { Command } from "commander";
import type Docker from "dockerode";
import { connectDaemon, dockerClient } from "../../core/sandbox/docker/daemon.ts";
import { findGarbage, type Made, removeGarbage } from "../../core/sandbox/docker/gc.ts";
import { type Globals, outputOf } from "../command.ts";

interface Options extends Globals {
  readonly allHosts?: boolean;
  readonly dryRun?: boolean;
  readonly run?: string;
}

export function gcVerb(program: Command): void {
  program
    .command("gc")
    .description("remove what killed processes of this machine left in Docker")
    .option("--all-hosts", "also what other hosts left, as containers that ran ForkGym and are gone")
    .option("--dry-run", "list it and remove nothing")
    .option("--run <id>", "only what was made with this run id")
    .action(async ({ allHosts = false, dryRun = false, run }: Options, command: Command) => {
      const output = outputOf(command);
      const docker = await dockerClient();
      if (!(await answers(docker))) {
        output.json({ docker: false, found: [], removed: 0, failures: [] });
        output.line("nothing to remove: no Docker daemon answers here");
        return;
      }
      await connectDaemon(docker);
      const found = await findGarbage(docker, { allHosts, ...(run !== undefined && { run }) });
      for (const made of found) output.line(describe(made));
      const failures = dryRun ? [] : await removeGarbage(docker, found);
      const removed = dryRun ? 0 : found.length - failures.length;
      output.json({
        docker: true,
        found,
        removed,
        failures: failures.map(({ made: { kind, id }, message }) => ({ kind, id, message })),
      });
      for (const { made, message } of failures) output.note(`${describe(made)}: ${message}`);
      if (found.length === 0) output.line("nothing to remove");
      else if (dryRun) output.line(`${found.length} to remove; nothing was removed`);
      else output.line(`removed ${removed} of ${found.length}`);
      if (failures.length > 0) process.exitCode = 1;
    });
}

/** False if there is no daemon; one that does not let us in is another matter. */
async function answers(docker: Docker): Promise<boolean> {
  try {
    await docker.ping();
    return true;
  } catch (error) {
    return !["ENOENT", "ECONNREFUSED"].includes((error as NodeJS.ErrnoException).code ?? "");
  }
}

function describe({ kind, id, owner, run }: Made): string {
  const [host, pid] = owner.split(" ");
  const short = id.replace("sha256:", "").slice(0, 12);
  return `${kind.padEnd(9)}  ${short}  process ${pid} on ${host!.split("/")[0]}${run === undefined ? "" : `, run ${run}`}`;
}
