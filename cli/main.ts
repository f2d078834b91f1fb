#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { Command, CommanderError } from "commander";
import { ForkGymError } from "../core/errors.ts";
import { compareVerb } from "./verbs/compare.ts";
import { demoVerb } from "./verbs/demo.ts";
import { doctorVerb } from "./verbs/doctor.ts";
import { envsVerb } from "./verbs/envs.ts";
import { evalVerb } from "./verbs/eval.ts";
import { gcVerb } from "./verbs/gc.ts";
import { gradeVerb } from "./verbs/grade.ts";
import { predictionsVerb } from "./verbs/predictions.ts";
import { prepareVerb } from "./verbs/prepare.ts";
import { replayVerb } from "./verbs/replay.ts";
import { rolloutVerb } from "./verbs/rollout.ts";
import { shellVerb } from "./verbs/shell.ts";
import { showVerb } from "./verbs/show.ts";
import { tasksVerb } from "./verbs/tasks.ts";
import { trainVerb } from "./verbs/train.ts";

const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  readonly version: string;
};

const program = new Command("forkgym")
  .description("Forkable environments for LLM agents, and tree rollouts on them")
  .version(version)
  .option("--json", "print one JSON object instead of text")
  .showHelpAfterError("(add --help for what it takes)")
  .exitOverride();
const verbs = [demoVerb, rolloutVerb, trainVerb, compareVerb, replayVerb, showVerb, tasksVerb, envsVerb];
const sweBench = [evalVerb, gradeVerb, prepareVerb, predictionsVerb];
for (const verb of [...verbs, ...sweBench, shellVerb, doctorVerb, gcVerb]) verb(program);
// Verbs take --json too, so that it may stand last.
for (const command of program.commands) command.option("--json", "print one JSON object instead of text");

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else if (error instanceof ForkGymError || isSystemError(error)) {
    process.stderr.write(`forkgym: ${error.message}\n`);
    process.exitCode = 2;
  } else throw error;
}

/** A file that cannot be written, a full disk: not a fault of the program, so no stack trace. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error;
}
