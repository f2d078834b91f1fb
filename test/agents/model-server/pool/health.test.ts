import { expect, test } from "vitest";
import type { ServerError } from "../../../../agents/model-server/errors.ts";
import { ask, HandServer as Hand, type HandServer } from "./hand-server.ts";
import { setUp, treeOf } from "./set-up.ts";
import { settle } from "./virtual-time.ts";

const quick = { openAfter: 2, backOffMs: 100, overflowAt: Number.POSITIVE_INFINITY };

test("an endpoint that fails is left alone, its trees go elsewhere, and come back when it is well", async () => {
  const { pool, servers, time } = setUp(quick);
  const [a, b] = servers as [HandServer, HandServer];
  const tree = await treeOf(pool, servers, 0);
  a.down = "unreachable";
  for (let n = 0; n < 2; n++)
    await expect(pool.sample(ask(tree))).rejects.toMatchObject({ fault: "unreachable" });
  expect(pool.stats().endpoints[0]).toMatchObject({ state: "open", retryInMs: 100, failuresInARow: 2 });
  void pool.sample(ask(tree));
  expect([a.sent.length, b.sent.length]).toEqual([2, 1]);
  a.down = undefined;
  await time.advance(100);
  void pool.sample(ask(tree));
  void pool.sample(ask(tree));
  expect([a.sent.length, b.sent.length]).toEqual([3, 2]);
  a.reply();
  await settle();
  expect(pool.stats().endpoints[0]).toMatchObject({ state: "closed", failuresInARow: 0 });
  void pool.sample(ask(tree));
  expect([a.sent.length, b.sent.length]).toEqual([4, 2]);
});

test("what was waiting for an endpoint that opened is sent elsewhere, in order, once", async () => {
  const { pool, servers } = setUp({ ...quick, maxConcurrent: 1, openAfter: 1 });
  const [a, b] = servers as [HandServer, HandServer];
  const tree = await treeOf(pool, servers, 0);
  const requests = Array.from({ length: 3 }, () => ask(tree));
  const replies = requests.map((request) => pool.sample(request).catch((error: unknown) => error));
  a.fail("server-error");
  expect(await replies[0]).toMatchObject({ fault: "server-error" });
  for (let n = 0; n < 2; n++) {
    b.reply();
    await settle();
  }
  expect([a.sent, b.sent]).toEqual([requests.slice(0, 1), requests.slice(1)]);
});

test("with a health check, no request is risked: it is asked when the back-off is over, and again later if it fails", async () => {
  const answers = ["down", "up"];
  let asked = 0;
  const a = new Hand("a");
  const health = async () => {
    asked++;
    if (answers.shift() === "down") throw new Error("not yet");
  };
  const { pool, time } = setUp({ ...quick, openAfter: 1, servers: [{ server: a, health }] });
  const lost = pool.sample(ask("x"));
  a.fail("unreachable");
  await expect(lost).rejects.toThrow();
  const waiting = pool.sample(ask("x"));
  await time.advance(100);
  expect([asked, a.sent.length]).toEqual([1, 1]);
  await time.advance(199);
  expect(asked).toBe(1);
  await time.advance(1);
  expect([asked, a.sent.length]).toEqual([2, 2]);
  a.reply();
  expect((await waiting).endpoint).toBe("a");
});

test("a server that can say how it is, is asked, unless another check is given", async () => {
  const asked: string[] = [];
  const named = (name: string) =>
    Object.assign(new Hand(name), { health: async () => void asked.push(`${name}'s own`) });
  const [a, b] = [named("a"), named("b")];
  const other = async () => void asked.push("other");
  const options = { ...quick, openAfter: 1, servers: [a, { server: b, health: other }] };
  const { pool, time } = setUp(options);
  for (const server of [a, b]) {
    server.down = "unreachable";
    await expect(pool.sample(ask())).rejects.toThrow();
  }
  void pool.sample(ask("x")).catch(() => {});
  await time.advance(100);
  expect(asked.sort()).toEqual(["a's own", "other"]);
});

test("a health check that does not answer is cut off and counts as a fault", async () => {
  const a = new Hand("a");
  const signals: AbortSignal[] = [];
  const health = (signal: AbortSignal) => {
    signals.push(signal);
    return new Promise(() => {});
  };
  const servers = [{ server: a, health }];
  const { pool, time } = setUp({ ...quick, openAfter: 1, healthTimeoutMs: 50, servers });
  const lost = pool.sample(ask("x"));
  a.fail("timeout");
  await expect(lost).rejects.toThrow();
  pool.sample(ask("x")).catch(() => {});
  await time.advance(149);
  expect(signals[0]!.aborted).toBe(false);
  await time.advance(1);
  expect(signals[0]!.aborted).toBe(true);
  expect(pool.stats().endpoints[0]).toMatchObject({ state: "open", retryInMs: 200 });
  await time.advance(200);
  expect(signals[1]!.aborted).toBe(false);
  await pool.close();
  expect(signals[1]!.aborted).toBe(true);
});

test("Retry-After is respected: nothing is sent before, and all at once after", async () => {
  const { pool, servers, time } = setUp({}, ["a"]);
  const [a] = servers as [HandServer];
  const lost = pool.sample(ask("x"));
  a.fail("overloaded", { retryAfterMs: 3000 });
  await expect(lost).rejects.toMatchObject({ fault: "overloaded" });
  for (let n = 0; n < 2; n++) void pool.sample(ask("x"));
  expect(pool.stats().endpoints[0]).toMatchObject({ state: "held", retryInMs: 3000 });
  await time.advance(2999);
  expect(a.sent.length).toBe(1);
  await time.advance(1);
  expect(a.sent.length).toBe(3);
});

test("if nothing is up until the wait is over, the request is unreachable, and the error names every state", async () => {
  const { pool, servers, time } = setUp({ openAfter: 1, backOffMs: 2000, queueTimeoutMs: 500 }, [
    "a",
    "b",
    "c",
  ]);
  const [a, b] = servers as [HandServer, HandServer];
  const first = [];
  for (let n = 0; n < 3; n++) first.push(pool.sample(ask()).catch(() => {}));
  a.fail("unreachable");
  b.fail("overloaded", { retryAfterMs: 9000 });
  void pool.drain("c");
  await settle();
  const error = await Promise.all([
    pool.sample(ask("x")).catch((e: unknown) => e as ServerError),
    time.advance(500),
  ]);
  expect(error[0]).toMatchObject({ fault: "unreachable" });
  expect((error[0] as ServerError).message).toBe(
    "pool: no place within 500 ms (a: circuit open for another 1500 ms after 1 failed in a row, 0 of 2 under way; " +
      "b: circuit open for another 8500 ms after 1 failed in a row, 0 of 2 under way; c: draining, 1 of 2 under way)",
  );
});

test("a drained endpoint gets nothing more, and is empty when drain resolves", async () => {
  const { pool, servers } = setUp({ overflowAt: 0 });
  const [a, b] = servers as [HandServer, HandServer];
  const tree = await treeOf(pool, servers, 0);
  for (let n = 0; n < 2; n++) void pool.sample(ask(tree));
  let empty = false;
  const drained = pool.drain("a").then(() => {
    empty = true;
  });
  for (let n = 0; n < 5; n++) void pool.sample(ask(tree));
  a.reply();
  await settle();
  expect([a.sent.length, empty]).toEqual([2, false]);
  a.reply();
  await drained;
  expect([a.sent.length, b.sent.length]).toEqual([2, 2]);
  await pool.drain("a");
  pool.undrain("a");
  // It may have other weights now than the tree has seen: whoever has seen none finds out.
  expect([a.sent.length, b.sent.length]).toEqual([2, 2]);
  void pool.sample(ask());
  a.reply();
  await settle();
  expect([a.sent.length, b.sent.length]).toEqual([5, 2]);
});

test("undraining before it is empty rejects the drain, an unknown endpoint is named with those there are", async () => {
  const { pool } = setUp();
  void pool.sample(ask());
  const drained = pool.drain("a");
  pool.undrain("a");
  await expect(drained).rejects.toThrow("`a` was undrained before it was empty");
  await expect(pool.drain("c")).rejects.toThrow("no endpoint `c`; there are a, b");
  expect(() => pool.undrain("c")).toThrow("no endpoint `c`");
});

test("a probe's failure costs one request, not the queue", async () => {
  const { pool, servers, time } = setUp({ ...quick, openAfter: 1 }, ["a"]);
  const [a] = servers as [HandServer];
  a.down = "unreachable";
  const replies = Array.from({ length: 5 }, () =>
    pool.sample(ask("x")).then(
      () => "ok",
      () => "failed",
    ),
  );
  // Two places: two were under way when the first failure came.
  await time.advance(100);
  a.down = undefined;
  await time.advance(200);
  while (a.pending.length > 0) {
    a.reply();
    await settle();
  }
  expect(await Promise.all(replies)).toEqual(["failed", "failed", "failed", "ok", "ok"]);
});
