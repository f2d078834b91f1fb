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

/** The message of anything thrown, for a record that must be JSON. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
