import type { PostJson, Schedule } from "../../../agents/prm/index.ts";
import type { Json } from "../../../core/json.ts";

/** A timer that goes off when told to. */
interface HandTimer {
  readonly schedule: Schedule;
  /** What was asked for, in milliseconds. */
  readonly waits: readonly number[];
  fireFirst(): void;
  fire(): void;
}

export function handTimer(): HandTimer {
  let due: (() => void)[] = [];
  const waits: number[] = [];
  const schedule: Schedule = (run, ms) => {
    due.push(run);
    waits.push(ms);
  };
  return {
    schedule,
    waits,
    fireFirst: () => void due.shift()?.(),
    fire() {
      const now = due;
      due = [];
      for (const run of now) run();
    },
  };
}

export interface Posted {
  readonly path: string;
  readonly body: { readonly input: readonly Json[] } & { readonly [key: string]: Json };
}

/** A server that says what `reply` says, and remembers what it was sent. */
export function scriptedPost(reply: (posted: Posted) => unknown): PostJson & { readonly posts: Posted[] } {
  const posts: Posted[] = [];
  const post = async (path: string, body: Json) => {
    posts.push({ path, body: body as Posted["body"] });
    return reply(posts.at(-1)!);
  };
  return Object.assign(post, { posts });
}
