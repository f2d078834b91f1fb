import type { Json } from "./json.ts";

/** One problem: a name that is unique in its set, and the data that the Env needs to pose it. */
export interface Task<Data = Json> {
  readonly id: string;
  readonly data: Data;
}

/** A named, versioned list of tasks. Tasks are made when asked for, so a set of 10,000 costs nothing to import. */
export interface TaskSet<Data = Json> {
  /** Env and set, for example `frozen-lake/rllm-test`. */
  readonly name: string;
  /** Raised when the same index would give another task. */
  readonly version: number;
  readonly size: number;
  /** One line for people. */
  readonly summary: string;
  /** The task at `index`, from 0 up to `size` - 1. @throws {RangeError} outside of it. */
  at(index: number): Task<Data>;
  /** SHA-256 of the content, 64 hexadecimal digits; each set says what text it is taken of. */
  digest(): string;
}

/** The tasks of a set in order: all, or at most `limit` from index `from` on. */
export function* tasksOf<Data>(
  set: TaskSet<Data>,
  limit: number = set.size,
  from: number = 0,
): Generator<Task<Data>> {
  for (let index = from; index < Math.min(from + limit, set.size); index++) yield set.at(index);
}
