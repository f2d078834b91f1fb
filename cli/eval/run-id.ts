import { Buffer } from "node:buffer";
import { InvalidArgumentError } from "commander";
import { InputError } from "../../core/errors.ts";
import { runReportName } from "../../envs/swe-bench/grading/log-layout.ts";

/** Parses `--run-id`: it names a folder of logs and is part of a report's name. */
export function runIdOf(text: string): string {
  if (/^[\w.-]+$/.test(text) && text !== "." && text !== "..") return text;
  throw new InvalidArgumentError("Expected one name of a file: letters, digits, and any of . _ -.");
}

/** Bytes of a file's name. */
const LONGEST = 255;

/** @throws {InputError} if the reports of these models cannot be written beside each other. */
export function checkReportNames(models: Iterable<string>, runId: string): void {
  const taken = new Map<string, string>();
  for (const model of models) {
    const name = runReportName(model, runId);
    const other = taken.get(name);
    if (other !== undefined)
      throw new InputError(
        `eval: the models ${other} and ${model} would both have the report ${name}; rename one`,
      );
    if (Buffer.byteLength(name) > LONGEST)
      throw new InputError(
        `eval: the report of a model would have a name of more than ${LONGEST} bytes, ${name.slice(0, 40)}…; ` +
          "shorten model_name_or_path or --run-id",
      );
    taken.set(name, model);
  }
}
