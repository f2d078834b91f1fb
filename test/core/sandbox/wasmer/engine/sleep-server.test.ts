import { expect, test } from "vitest";
import { SleepServer } from "../../../../../core/sandbox/wasmer/engine/sleep-server.ts";

test("each name sleeps once, however often it is looked for", async () => {
  const server = new SleepServer();
  const first = server.answer("stat", ["0.02-1"]);
  expect(first).toBeInstanceOf(Promise);
  expect(server.answer("stat", ["0.02-1"])).toMatchObject({ kind: "file" });
  expect(server.answer("stat", ["0.02-2"])).toBeInstanceOf(Promise);
  expect(await first).toMatchObject({ kind: "file" });
});
