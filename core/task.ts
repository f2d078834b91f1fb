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

/** Every task of a set, in order. */
export function* tasksOf<Data>(set: TaskSet<Data>, limit: number = set.size): Generator<Task<Data>> {
  for (let index = 0; index < Math.min(limit, set.size); index++) yield set.at(index);
}
