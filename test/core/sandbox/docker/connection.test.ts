import { PassThrough } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { SandboxError } from "../../../../core/errors.ts";
import { Connection } from "../../../../core/sandbox/docker/connection.ts";

test("work that waits for the end of the connection fails with it, at once if it has ended", async () => {
  const connection = new Connection(new PassThrough(), "box");
  const never = connection.whileThere(new Promise(() => {}));
  connection.break("it was killed");
  const gone = new SandboxError("docker: container box is gone: it was killed");
  await expect(never).rejects.toThrow(gone);
  await expect(connection.whileThere(Promise.reject(new Error("late")))).rejects.toThrow(gone);
});

test("what work brought is not kept as long as the connection lives", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const connection = new Connection(new PassThrough(), "box");
  const brought = async (): Promise<WeakRef<object>> =>
    new WeakRef(await connection.whileThere(Promise.resolve({ large: true })));
  const refs = [await brought(), await brought()];
  for (let turns = 0; turns < 20 && refs.some((ref) => ref.deref()); turns++) {
    await setImmediate();
    collect();
  }
  expect(refs.map((ref) => ref.deref())).toEqual([undefined, undefined]);
  expect(connection.broken).toBeUndefined();
});
