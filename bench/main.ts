import { Command, CommanderError, InvalidArgumentError } from "commander";
import { whole } from "../cli/command.ts";
import { ForkGymError } from "../core/errors.ts";
import { forkBench } from "./fork.ts";
import { rolloutBench } from "./rollout.ts";
import { type SandboxBenchOptions, sandboxBench } from "./sandbox/sandbox.ts";
import { type ServingOptions, servingBench } from "./serving/serving.ts";
import { stepBench } from "./step.ts";
import type { VersusOptions } from "./versus.ts";

interface Given {
  readonly rounds: number;
  readonly ms: number;
  readonly python?: string;
  readonly requirePeer?: boolean;
  readonly minRatio?: number;
}

const program = new Command("bench")
  .usage("<name> [options]")
  .description("Measures ForkGym, beside Gymnasium in the same run where there is something to compare")
  .exitOverride();

withPeer("step", "steps per second against Gymnasium's step loop", stepBench);
withPeer("fork", "copies of a running episode against copy.deepcopy of Gymnasium's env", forkBench);
bench("rollout", "what the rollout core costs per turn; no peer").action(async ({ rounds, ms }: Given) => {
  process.exitCode = await rolloutBench({ rounds, blockMs: ms });
});

program
  .command("sandbox")
  .description("what forking a Docker sandbox costs, beside commit and run, replay, and a copy of the folder")
  .option("--image <image>", "local image with python3 (default: FORKGYM_IMAGE)")
  .option("--rounds <n>", "rounds, each with one fork of every side", whole(1), 9)
  .option("--min-ratio <n>", "fail (exit 1) if overlay at 100 MB is not so many times faster", positive)
  .option(
    "--max-fork-ms <n>",
    "fail (exit 1) if an overlay fork with its first command takes longer",
    positive,
  )
  .option("--max-command-ms <n>", "fail (exit 1) if a program over overlay takes longer", positive)
  .action(
    async ({
      image = process.env.FORKGYM_IMAGE,
      ...given
    }: Omit<SandboxBenchOptions, "image"> & { image?: string }) => {
      process.exitCode = await sandboxBench({ image, ...given });
    },
  );

program
  .command("serving")
  .description(
    "how busy trees keep a model server, and what they cost and spare; the test server, at a fixed cost",
  )
  .option("--trees <n>", "trees at once", whole(1), 64)
  .option("--slots <n>", "sequences that the server runs at once", whole(1), 64)
  .option("--ms-per-step <n>", "what a token of every running sequence costs", positive, 20)
  .option("--ms-per-1k-prefill <n>", "what 1,000 prompt tokens cost that are not cached", positive, 15)
  .option("--seeds <n>", "comparisons with independent episodes", whole(1), 5)
  .option("--min-busy <share>", "fail (exit 1) if fewer slots are busy after warm-up", positive)
  .option("--max-core-ms <n>", "fail (exit 1) if the core takes more CPU on a turn", positive)
  .option("--min-hits <share>", "fail (exit 1) if PATR has fewer of the possible prefix-cache hits", positive)
  .action(async (options: ServingOptions) => {
    process.exitCode = await servingBench(options);
  });

function bench(name: string, summary: string): Command {
  return program
    .command(name)
    .description(summary)
    .option("--rounds <n>", "rounds, each with one block of every side", whole(1), 21)
    .option("--ms <n>", "milliseconds that a block takes", whole(1), 50);
}

function withPeer(name: string, summary: string, run: (options: VersusOptions) => Promise<number>): void {
  bench(name, summary)
    .option("--python <path>", "Python with gymnasium, for the peer (default: FORKGYM_PYTHON)")
    .option("--require-peer", "fail (exit 1) if there is no peer")
    .option("--min-ratio <n>", "fail (exit 1) if the median ratio of the main comparison is lower", positive)
    .action(async ({ rounds, ms, python = process.env.FORKGYM_PYTHON, ...rest }: Given) => {
      process.exitCode = await run({ rounds, blockMs: ms, ...(python !== undefined && { python }), ...rest });
    });
}

function positive(text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new InvalidArgumentError("Expected a number above 0.");
}

try {
  if (process.argv.length > 2) await program.parseAsync();
  else process.stdout.write(program.helpInformation());
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else if (error instanceof ForkGymError) {
    process.stderr.write(`bench: ${error.message}\n`);
    process.exitCode = 1;
  } else throw error;
}
