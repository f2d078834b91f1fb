import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { ServerError } from "../../../../agents/model-server/errors.ts";
import { Meter } from "../../../../agents/model-server/metrics/meter.ts";
import type { Span } from "../../../../agents/model-server/metrics/metered.ts";
import type { SampleRequest } from "../../../../agents/model-server/model-server.ts";
import type { PoolOptions } from "../../../../agents/model-server/pool/options.ts";
import { serverPool } from "../../../../agents/model-server/pool/pool.ts";
import { InputError } from "../../../../core/errors.ts";
import { ask, HandServer } from "./hand-server.ts";
import { setUp, treeOf } from "./set-up.ts";
import { settle } from "./virtual-time.ts";

test("a pool is a model server of all its endpoints", () => {
  const { pool } = setUp();
  expect(pool.name).toBe("pool of 2: a, b");
  expect(pool.tokenExact).toBe(true);
  const textOnly = Object.assign(new HandServer("c"), { tokenExact: false });
  expect(serverPool({ servers: [new HandServer("a"), textOnly] }).tokenExact).toBe(false);
});

test("two servers of one name are told apart by number, two endpoints of one name are refused", () => {
  const same = [new HandServer("a"), new HandServer("a")];
  expect(
    serverPool({ servers: same })
      .stats()
      .endpoints.map(({ endpoint }) => endpoint),
  ).toEqual(["a", "a #2"]);
  const twice = same.map((server) => ({ server, endpoint: "http://a" }));
  expect(() => serverPool({ servers: twice })).toThrow("two of `servers` are called `http://a`");
});

test.each([
  [{ servers: [] }, "`servers`"],
  [{ maxConcurrent: 0 }, "`maxConcurrent`"],
  [{ servers: [{ server: new HandServer("a"), maxConcurrent: 1.5 }] }, "`servers[0].maxConcurrent`"],
  [{ overflowAt: -1 }, "`overflowAt`"],
  [{ queueTimeoutMs: Number.NaN }, "`queueTimeoutMs`"],
  [{ openAfter: 0 }, "`openAfter`"],
  [{ backOffMs: 0 }, "`backOffMs`"],
  [{ rememberTrees: 0 }, "`rememberTrees`"],
])("an option out of bounds is refused by name: %j", (options, name) => {
  expect(() => setUp(options as Partial<PoolOptions>)).toThrow(InputError);
  expect(() => setUp(options as Partial<PoolOptions>)).toThrow(name);
});

test("the requests of a tree go to one endpoint, trees are spread", async () => {
  const { pool, servers } = setUp({ maxConcurrent: 1000 });
  for (let n = 0; n < 200; n++) void pool.sample(ask(`tree ${n % 50}`));
  const [a, b] = servers.map(({ trees }) => new Set(trees)) as [Set<string>, Set<string>];
  expect(a.size + b.size).toBe(50);
  expect(Math.min(a.size, b.size)).toBeGreaterThan(10);
});

test("a request goes out at once if there is a place, else it waits; a reply lets the next one go", async () => {
  const { pool, servers } = setUp({ maxConcurrent: 1 }, ["a"]);
  const [a] = servers as [HandServer];
  const replies = ["x", "y"].map((tree) => pool.sample(ask(tree)));
  expect(a.trees).toEqual(["x"]);
  expect(pool.stats()).toMatchObject({ queued: 1, inFlight: 1 });
  a.reply();
  await replies[0];
  expect(a.trees).toEqual(["x", "y"]);
  a.reply();
  expect((await replies[1])!.endpoint).toBe("a");
});

test("trees take turns, one request each, first come first served within a tree", async () => {
  const { pool, servers } = setUp({ maxConcurrent: 1 }, ["a"]);
  const [a] = servers as [HandServer];
  const big = Array.from({ length: 4 }, () => ask("big"));
  for (const request of [...big, ask("x"), ask("y"), ask("x")]) void pool.sample(request);
  while (a.pending.length > 0) {
    a.reply();
    await settle();
  }
  expect(a.trees).toEqual(["big", "big", "x", "y", "big", "x", "big"]);
  expect(a.sent.filter(({ affinity }) => affinity === "big")).toEqual(big);
});

test("a tree goes elsewhere only while more than `overflowAt` wait for its endpoint, and then back", async () => {
  const { pool, servers } = setUp({ maxConcurrent: 1, overflowAt: 2 });
  const [a, b] = servers as [HandServer, HandServer];
  const tree = await treeOf(pool, servers, 0);
  for (let n = 0; n < 3; n++) void pool.sample(ask(tree));
  expect([a.trees, b.trees]).toEqual([[tree], []]);
  void pool.sample(ask(tree));
  expect([a.trees, b.trees]).toEqual([[tree], [tree]]);
  expect(pool.stats()).toMatchObject({ overflowed: 1, queued: 2 });
  b.reply();
  await settle();
  expect(b.pending).toEqual([]);
  a.reply();
  await settle();
  expect(a.trees).toEqual([tree, tree]);
});

test("overflow goes to the least loaded endpoint", async () => {
  const { pool, servers } = setUp({ maxConcurrent: 2, overflowAt: 0 }, ["a", "b", "c"]);
  const [a, b, c] = servers as [HandServer, HandServer, HandServer];
  const tree = await treeOf(pool, servers, 0);
  const other = await treeOf(pool, servers, 1);
  for (const each of [other, tree, tree, tree]) void pool.sample(ask(each));
  expect([a.trees, b.trees, c.trees]).toEqual([[tree, tree], [other], [tree]]);
});

test("a free endpoint takes from the line that is longest beyond its bound", async () => {
  const { pool, servers } = setUp({ maxConcurrent: 1, overflowAt: 0 }, ["a", "b", "c"]);
  const [, , c] = servers as [HandServer, HandServer, HandServer];
  const [inA, inB, inC] = [
    await treeOf(pool, servers, 0),
    await treeOf(pool, servers, 1),
    await treeOf(pool, servers, 2),
  ];
  for (const tree of [inA, inB, inC, inA, inB, inB]) void pool.sample(ask(tree));
  c.reply();
  await settle();
  expect(c.trees).toEqual([inC, inB]);
});

test("a tree that went elsewhere stays there if told so, until that endpoint is drained", async () => {
  const { pool, servers } = setUp({ maxConcurrent: 1, overflowAt: 0, overflowStays: true });
  const [a, b] = servers as [HandServer, HandServer];
  const tree = await treeOf(pool, servers, 0);
  void pool.sample(ask(tree));
  void pool.sample(ask(tree));
  a.reply();
  b.reply();
  await settle();
  void pool.sample(ask(tree));
  expect([a.trees.length, b.trees.length]).toEqual([1, 2]);
  b.reply();
  await pool.drain("b");
  void pool.sample(ask(tree));
  pool.undrain("b");
  a.reply();
  await settle();
  void pool.sample(ask(tree));
  expect([a.trees.length, b.trees.length]).toEqual([3, 2]);
});

test("requests without a tree go to the least loaded endpoint, and take turns with the trees", async () => {
  const { pool, servers } = setUp({ maxConcurrent: 2 });
  const [a, b] = servers as [HandServer, HandServer];
  for (let n = 0; n < 4; n++) void pool.sample(ask());
  expect([a.sent.length, b.sent.length]).toEqual([2, 2]);
  for (let n = 0; n < 2; n++) void pool.sample(ask());
  void pool.sample(ask("x"));
  const home = [a, b];
  home.forEach((server) => void server.reply());
  await settle();
  home.forEach((server) => void server.reply());
  await settle();
  expect([...a.trees.slice(2), ...b.trees.slice(2)].sort()).toEqual(["x", undefined, undefined].sort());
});

test("a request without a tree waits no longer than one turn of every tree, and no tree waits for more than one of them", async () => {
  const { pool, servers } = setUp({ maxConcurrent: 1 }, ["a"]);
  const [a] = servers as [HandServer];
  for (const tree of ["x", "x", "x", undefined, undefined, "y", "y"]) void pool.sample(ask(tree));
  while (a.pending.length > 0) {
    a.reply();
    await settle();
  }
  expect(a.trees).toEqual(["x", "x", undefined, "y", "x", undefined, "y"]);
});

test("a request that waits too long fails as a timeout that names the endpoints and their states", async () => {
  const { pool, time } = setUp({ maxConcurrent: 1, queueTimeoutMs: 500 }, ["a"]);
  void pool.sample(ask("x"));
  const late = pool.sample(ask("x")).catch((error: unknown) => error);
  await time.advance(499);
  expect(pool.stats().queued).toBe(1);
  await time.advance(1);
  const error = (await late) as ServerError;
  expect(error).toBeInstanceOf(ServerError);
  expect(error.fault).toBe("timeout");
  expect(error.message).toBe("pool: no place within 500 ms (a: up, 1 of 1 under way)");
  expect(pool.stats()).toMatchObject({ queued: 0, timedOut: 1 });
  expect(time.timers).toBe(0);
});

test("with no time to wait, a request is sent at once or fails at once", async () => {
  const { pool, servers } = setUp({ maxConcurrent: 1, queueTimeoutMs: 0 }, ["a"]);
  const first = pool.sample(ask("x"));
  await expect(pool.sample(ask("x"))).rejects.toThrow("no place within 0 ms");
  servers[0]!.reply();
  await first;
});

test("a request taken back while it waits leaves the queue at once, and rejects with the reason", async () => {
  const { pool, servers, time } = setUp({ maxConcurrent: 1 }, ["a"]);
  const abort = new AbortController();
  void pool.sample(ask("x"));
  const waiting = pool.sample(ask("y"), abort.signal);
  const reason = new Error("branch was pruned");
  abort.abort(reason);
  expect(pool.stats()).toMatchObject({ queued: 0, takenBack: 1 });
  await expect(waiting).rejects.toBe(reason);
  servers[0]!.reply();
  await settle();
  expect(servers[0]!.trees).toEqual(["x"]);
  expect(time.timers).toBe(0);
});

test("a request taken back while under way is aborted at the server, and its place is free", async () => {
  const { pool, servers } = setUp({ maxConcurrent: 1 }, ["a"]);
  const abort = new AbortController();
  const reply = pool.sample(ask("x"), abort.signal);
  void pool.sample(ask("y"));
  abort.abort("pruned");
  await expect(reply).rejects.toBe("pruned");
  expect(servers[0]).toMatchObject({ aborts: 1, trees: ["x", "y"] });
  expect(pool.stats().endpoints[0]).toMatchObject({
    inFlight: 1,
    failures: { aborted: 1 },
    failuresInARow: 0,
  });
});

test("a server that does not let go of an aborted request keeps its place, the caller waits no longer", async () => {
  const pending: (() => void)[] = [];
  const deaf = Object.assign(new HandServer("a"), {
    sample: () => new Promise<never>((_, reject) => pending.push(() => reject(new Error("late")))),
  });
  const { pool } = setUp({ servers: [deaf], maxConcurrent: 1 });
  const abort = new AbortController();
  const reply = pool.sample(ask("x"), abort.signal);
  pool.sample(ask("y")).catch(() => {});
  abort.abort("pruned");
  await expect(reply).rejects.toBe("pruned");
  expect(pool.stats()).toMatchObject({ inFlight: 1, queued: 1 });
  pending[0]!();
  await settle();
  expect(pool.stats()).toMatchObject({ inFlight: 1, queued: 0 });
});

test("a reply to a request that was taken back is no news to its tree", async () => {
  const replies: (() => void)[] = [];
  const hand = new HandServer("a");
  const deaf = Object.assign(Object.create(hand) as HandServer, {
    sample: (request: SampleRequest) => {
      const reply = hand.sample(request);
      replies.push(() => hand.reply());
      return reply;
    },
  });
  const { pool } = setUp({ servers: [deaf] });
  const abort = new AbortController();
  const reply = pool.sample(ask("x"), abort.signal);
  abort.abort("pruned");
  await expect(reply).rejects.toBe("pruned");
  replies[0]!();
  await settle();
  hand.weights = "w2";
  const first = pool.sample(ask("x"));
  replies[1]!();
  expect((await first).weightVersion).toBe("w2");
});

test("an abort is no fault of the endpoint, whatever it rejects with", async () => {
  const touchy = Object.assign(new HandServer("a"), {
    sample: (_: SampleRequest, signal: AbortSignal) =>
      new Promise<never>((_, reject) => {
        signal.addEventListener("abort", () => reject(new ServerError("cut", "a: connection closed")));
      }),
  });
  const { pool } = setUp({ servers: [touchy], openAfter: 1 });
  const abort = new AbortController();
  const reply = pool.sample(ask("x"), abort.signal);
  abort.abort("pruned");
  await expect(reply).rejects.toBe("pruned");
  await settle();
  expect(pool.stats().endpoints[0]).toMatchObject({ state: "closed", failures: { aborted: 1 } });
});

test("nothing listens to the caller's signal once its request has settled", async () => {
  const { pool, servers } = setUp({ maxConcurrent: 1, queueTimeoutMs: 50 }, ["a"]);
  const { signal } = new AbortController();
  const calls = ["x", "y"].map((tree) => pool.sample(ask(tree), signal).catch(() => {}));
  expect(getEventListeners(signal, "abort").length).toBe(2);
  servers[0]!.reply();
  await calls[0];
  servers[0]!.fail("cut");
  await calls[1];
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("a signal that has aborted already sends nothing", async () => {
  const { pool, servers } = setUp();
  await expect(pool.sample(ask("x"), AbortSignal.abort("no"))).rejects.toBe("no");
  expect(servers.flatMap(({ sent }) => sent)).toEqual([]);
});

test("a request that failed has failed: nothing is sent twice", async () => {
  const { pool, servers } = setUp();
  const request = ask("x");
  const reply = pool.sample(request);
  const server = servers.find(({ pending }) => pending.length === 1)!;
  server.fail("cut");
  await expect(reply).rejects.toMatchObject({ fault: "cut" });
  expect(servers.flatMap(({ sent }) => sent)).toEqual([request]);
});

test("close ends what waits and what is under way, closes the servers once, and leaves no timer", async () => {
  const { pool, servers, time } = setUp({ maxConcurrent: 1 }, ["a"]);
  const calls = ["x", "x", "y"].map((tree) => pool.sample(ask(tree)).catch((error: unknown) => error));
  await Promise.all([pool.close(), pool.close()]);
  for (const error of await Promise.all(calls)) expect(error).toMatchObject({ fault: "unreachable" });
  expect(servers[0]).toMatchObject({ aborts: 1, closes: 1, pending: [] });
  expect(time.timers).toBe(0);
  await expect(pool.sample(ask("x"))).rejects.toThrow("pool: it is closed");
});

test("what a server throws before it gives a promise is a failed request", async () => {
  const broken = Object.assign(new HandServer("a"), {
    sample: () => {
      throw new TypeError("no such thing");
    },
  });
  const { pool } = setUp({ servers: [broken], maxConcurrent: 1 });
  await expect(pool.sample(ask("x"))).rejects.toThrow("no such thing");
  await expect(pool.sample(ask("x"))).rejects.toThrow("no such thing");
  expect(pool.stats()).toMatchObject({ inFlight: 0, queued: 0 });
});

test("a meter and a tracer are told of each request and each wait; a tracer that throws costs nothing", async () => {
  const meter = new Meter();
  const spans: Span[] = [];
  const onSpan = (span: Span) => {
    spans.push(span);
    throw new Error("tracer broke");
  };
  const { pool, servers, time } = setUp({ maxConcurrent: 1, meter, onSpan }, ["a"]);
  const replies = [pool.sample(ask("x")), pool.sample(ask("x"))];
  const queued = () => meter.snapshot().find(({ name }) => name === "forkgym_pool_queued")!.series[0]!.value;
  expect(queued()).toBe(1);
  await time.advance(250);
  servers[0]!.reply();
  await replies[0];
  expect(queued()).toBe(0);
  await time.advance(50);
  servers[0]!.reply();
  await replies[1];
  expect(spans.map(({ name, startMs, endMs }) => [name, startMs, endMs])).toEqual([
    ["model.queue", 0, 0],
    ["model.sample", 0, 250],
    ["model.queue", 0, 250],
    ["model.sample", 250, 300],
  ]);
  expect(spans[2]!.attributes).toEqual({ endpoint: "a", affinity: "x", overflow: false });
});

test("whoever is told of spans may ask and take back: places are kept, and what was taken back is not sent", async () => {
  const abort = new AbortController();
  let more = 3;
  const onSpan = ({ name, attributes }: Span) => {
    if (name !== "model.queue") return;
    if (attributes.affinity === "y") abort.abort("pruned");
    else if (more-- > 0) pool.sample(ask("more")).catch(() => {});
  };
  const { pool, servers } = setUp({ maxConcurrent: 1, onSpan }, ["a"]);
  const [a] = servers as [HandServer];
  void pool.sample(ask("x"));
  for (let n = 0; n < 3; n++) {
    a.reply();
    await settle();
  }
  expect([a.trees, a.most]).toEqual([["x", "more", "more", "more"], 1]);
  a.reply();
  await settle();
  await expect(pool.sample(ask("y"), abort.signal)).rejects.toBe("pruned");
  expect(a.trees.length).toBe(4);
  expect(pool.stats()).toMatchObject({ inFlight: 0, queued: 0 });
});
