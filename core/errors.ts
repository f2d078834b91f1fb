/** Root of every error that ForkGym throws on purpose. Messages start with the name of the part. */
export class ForkGymError extends Error {
  override readonly name: string = "ForkGymError";
}

/** The caller broke the rules of an episode: a step before reset, or after the end, or on a closed Env. */
export class EpisodeError extends ForkGymError {
  override readonly name = "EpisodeError";
}

/** A snapshot cannot be forked: it was released, or another kind of Env made it. */
export class SnapshotError extends ForkGymError {
  override readonly name = "SnapshotError";
}

/** Bad input: an option, a file, a line or a field. The message says which, what was got, what to do. */
export class InputError extends ForkGymError {
  override readonly name = "InputError";
}

/**
 * A policy cannot take the turn, for what the branch has said fills what its model can hold. Not a failure: the branch
 * ends there, with the outcome of what it has done (`context-limit`), or without one if it took no turn of its own.
 */
export class ContextLimitError extends ForkGymError {
  override readonly name = "ContextLimitError";
}

/** The sandbox itself failed, not the command in it: its container is gone, its daemon does not answer. A fresh one may work. */
export class SandboxError extends ForkGymError {
  override readonly name = "SandboxError";
}

/** A file operation in a sandbox that cannot be done: no such file, a folder where a file was expected, disk full. */
export class FileError extends ForkGymError {
  override readonly name = "FileError";
}

/** The message of anything thrown, for a record that must be JSON. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
