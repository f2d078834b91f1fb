import { type Command, InvalidArgumentError, Option } from "commander";
import { InputError } from "../core/errors.ts";
import { createOutput, type Output } from "./output.ts";

/** Options of every verb. */
export interface Globals {
  readonly json?: boolean;
}

/** The output of a verb, as its `--json` says. */
export function outputOf(command: Command): Output {
  const { json = false } = command.optsWithGlobals<Globals>();
  return createOutput({ json });
}

/** Parses an option's whole number from `least` up, or to `most`. */
export function whole(least: number, most: number = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (Number.isSafeInteger(value) && value >= least && value <= most && text.trim() !== "") return value;
    const bound = most === Number.MAX_SAFE_INTEGER ? "up" : `to ${most}`;
    throw new InvalidArgumentError(`Expected a whole number from ${least} ${bound}.`);
  };
}

/** `--set name=value`, for task sets with options; may be repeated. */
export function setOptions(): Option {
  return pairs("--set <name=value>", "option of the task set, for example limit=8; may be repeated");
}

/** `--env name=value`, for environments with options; may be repeated. */
export function envOptions(): Option {
  return pairs(
    "--env <name=value>",
    "option of the environment, for example backend=docker; may be repeated",
  );
}

/** An option of the form name=value that may be repeated. */
export function pairs(flags: string, help: string): Option {
  return new Option(flags, help)
    .default({}, "none")
    .argParser((text: string, before: Record<string, string>) => {
      const at = text.indexOf("=");
      if (at < 1) throw new InvalidArgumentError("Expected name=value.");
      return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
    });
}

/** The names, if each is there once. @throws {InputError} naming the option and the name that comes again. */
export function distinct(option: string, names: readonly string[]): readonly string[] {
  const again = names.find((name, at) => names.indexOf(name) < at);
  if (again === undefined) return names;
  throw new InputError(`${option}: "${again}" is named twice; name each once`);
}

/** A signal that aborts on the first SIGINT or SIGTERM; the second one kills as usual. */
export function abortOnSignal(): { readonly signal: AbortSignal; done(): void } {
  const controller = new AbortController();
  const done = () => {
    process.off("SIGINT", stop);
    process.off("SIGTERM", stop);
  };
  // Listening on until the second signal: what cleans up after Docker leaves a process alone that listens itself.
  const stop = (name: NodeJS.Signals) => {
    if (!controller.signal.aborted) return controller.abort(new Error(`stopped by ${name}`));
    done();
    process.kill(process.pid, name);
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  return { signal: controller.signal, done };
}
