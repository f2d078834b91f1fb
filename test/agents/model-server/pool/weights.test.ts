import { expect, test } from "vitest";
import { ServerError } from "../../../../agents/model-server/errors.ts";
import { ask, HandServer } from "./hand-server.ts";
import { setUp, treeOf } from "./set-up.ts";
import { settle } from "./virtual-time.ts";

test("a tree that has seen one version and gets another is refused, with both named", async () => {
  const { pool, servers } = setUp({}, ["a"]);
  const [a] = servers as [HandServer];
  const first = pool.sample(ask("x"));
  a.reply();
  expect((await first).weightVersion).toBe("w1");
  a.weights = "w2";
  const replies = ["x", "y"].map((tree) => pool.sample(ask(tree)));
  a.reply();
  a.reply();
  const error = await replies[0]!.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ServerError);
  expect((error as ServerError).message).toBe(
    'pool: `a` sampled with weights `w2`, tree `x` has seen weights `w1`: a tree does not mix versions unless `mixedVersions` is "allow"',
  );
  expect((await replies[1]!).weightVersion).toBe("w2");
  expect(pool.stats()).toMatchObject({
    versionsRefused: 1,
    endpoints: [{ weightVersions: { w1: 1, w2: 2 }, failuresInARow: 0 }],
  });
});

test("the tree keeps the version that it saw first, whatever came after", async () => {
  const { pool, servers } = setUp({}, ["a"]);
  const [a] = servers as [HandServer];
  const seen: string[] = [];
  for (const version of ["w1", "w2", "w1"]) {
    a.weights = version;
    pool.undrain("a");
    const reply = pool.sample(ask("x")).then(
      ({ weightVersion }) => weightVersion!,
      () => "refused",
    );
    a.reply();
    seen.push(await reply);
  }
  expect(seen).toEqual(["w1", "refused", "w1"]);
});

test("a server that does not say is a version of its own", async () => {
  const { pool, servers } = setUp({}, ["a"]);
  const [a] = servers as [HandServer];
  a.weights = undefined;
  for (let n = 0; n < 2; n++) {
    const reply = pool.sample(ask("x"));
    a.reply();
    await reply;
  }
  a.weights = "w1";
  const mixed = pool.sample(ask("x"));
  a.reply();
  await expect(mixed).rejects.toThrow("has seen weights of unknown version");
});

test("an endpoint that goes back to weights that it had before is stale, and its circuit opens", async () => {
  const { pool, servers } = setUp({ mixedVersions: "allow", openAfter: 2 }, ["a"]);
  const [a] = servers as [HandServer];
  const of = (version: string | undefined) => {
    a.weights = version;
    const reply = pool.sample(ask("x")).then(
      ({ weightVersion }) => weightVersion,
      ({ fault }: ServerError) => fault,
    );
    a.reply();
    return reply;
  };
  const seen = [];
  for (const version of ["w1", undefined, "w2", "w1", "w2", "w1..w2", "w1", "w0..w1"])
    seen.push(await of(version));
  expect(seen).toEqual([
    "w1",
    undefined,
    "w2",
    "stale-weights",
    "w2",
    "w1..w2",
    "stale-weights",
    "stale-weights",
  ]);
  expect(pool.stats().endpoints[0]).toMatchObject({ state: "open", failures: { "stale-weights": 3 } });
});

test("a reply that was under way while the weights changed is not stale", async () => {
  const { pool, servers } = setUp({ mixedVersions: "allow" }, ["a"]);
  const [a] = servers as [HandServer];
  const first = pool.sample(ask());
  a.reply();
  await first;
  const both = [pool.sample(ask()), pool.sample(ask())];
  a.weights = "w2";
  a.reply();
  a.weights = "w1";
  a.reply();
  expect((await Promise.all(both)).map(({ weightVersion }) => weightVersion)).toEqual(["w2", "w1"]);
});

test("`allow` lets versions mix", async () => {
  const { pool, servers } = setUp({ mixedVersions: "allow" }, ["a"]);
  const [a] = servers as [HandServer];
  for (const version of ["w1", "w2", undefined]) {
    a.weights = version;
    const reply = pool.sample(ask("x"));
    a.reply();
    expect((await reply).weightVersion).toBe(version);
  }
});

test("a tree goes to an endpoint with its version, even to one that is not its own", async () => {
  const { pool, servers } = setUp();
  const [a, b] = servers as [HandServer, HandServer];
  const tree = await treeOf(pool, servers, 0);
  const other = await treeOf(pool, servers, 1);
  for (const each of [tree, other]) void pool.sample(ask(each));
  a.reply();
  b.reply();
  await settle();
  a.weights = "w2";
  void pool.sample(ask());
  a.reply();
  await settle();
  void pool.sample(ask(tree));
  expect([a.sent.length, b.sent.length]).toEqual([2, 2]);
  b.reply();
  await settle();
  expect(pool.stats().versionsRefused).toBe(0);
});

test("waiting requests move when their endpoint shows other weights", async () => {
  const { pool, servers } = setUp({ maxConcurrent: 1 });
  const [a, b] = servers as [HandServer, HandServer];
  const tree = await treeOf(pool, servers, 0);
  void pool.sample(ask(tree));
  a.reply();
  await settle();
  const [other] = [pool.sample(ask()), pool.sample(ask())];
  const waiting = pool.sample(ask(tree));
  a.weights = "w2";
  a.reply();
  await other;
  b.reply();
  await settle();
  b.reply();
  expect(await waiting).toMatchObject({ endpoint: "b", weightVersion: "w1" });
});

test("expected weights are asked of every sample, and let go again", async () => {
  const { pool, servers } = setUp({}, ["a"]);
  const [a] = servers as [HandServer];
  pool.expectWeights("w2");
  const stale = [pool.sample(ask("x")), pool.sample(ask())];
  a.reply();
  a.reply();
  for (const reply of stale) {
    await expect(reply).rejects.toMatchObject({
      fault: "stale-weights",
      message: "pool: `a` sampled with weights `w1`, weights `w2` is expected",
    });
  }
  a.weights = "w2";
  const fresh = pool.sample(ask("x"));
  a.reply();
  expect((await fresh).weightVersion).toBe("w2");
  expect(pool.stats()).toMatchObject({ expectedWeights: "w2", versionsRefused: 2 });
  pool.expectWeights(undefined);
  a.weights = "w1";
  const any = pool.sample(ask("y"));
  a.reply();
  expect((await any).weightVersion).toBe("w1");
});

test("a tree of older weights than expected is refused without being sent", async () => {
  const { pool, servers } = setUp({ maxConcurrent: 1 }, ["a"]);
  const [a] = servers as [HandServer];
  const first = pool.sample(ask("x"));
  a.reply();
  await first;
  pool.expectWeights("w2");
  await expect(pool.sample(ask("x"))).rejects.toThrow(
    "tree `x` has seen weights `w1` and weights `w2` is expected: not sent",
  );
  expect(a.sent.length).toBe(1);
});

test("an endpoint that shows stale weights gets nothing while another fits, until it is told of again", async () => {
  const { pool, servers } = setUp();
  const [a, b] = servers as [HandServer, HandServer];
  const tree = await treeOf(pool, servers, 0);
  b.weights = "w2";
  pool.expectWeights("w2");
  const stale = pool.sample(ask(tree));
  a.reply();
  await expect(stale).rejects.toThrow("is expected");
  void pool.sample(ask(tree));
  expect([a.sent.length, b.sent.length]).toEqual([1, 1]);
  pool.undrain("a");
  void pool.sample(ask(tree));
  expect([a.sent.length, b.sent.length]).toEqual([2, 1]);
});

test("what endpoints showed before new weights were expected does not count", async () => {
  const { pool, servers } = setUp();
  const [a, b] = servers as [HandServer, HandServer];
  const tree = await treeOf(pool, servers, 0);
  b.weights = "w2";
  const both = [pool.sample(ask()), pool.sample(ask())];
  a.reply();
  b.reply();
  expect((await Promise.all(both)).map(({ weightVersion }) => weightVersion)).toEqual(["w1", "w2"]);
  a.weights = "w2";
  pool.expectWeights("w2");
  a.sent.length = 0;
  const reply = pool.sample(ask(tree));
  expect(a.trees).toEqual([tree]);
  a.reply();
  expect((await reply).weightVersion).toBe("w2");
});

test("an endpoint that was down may have come back with other weights", async () => {
  const a = new HandServer("a");
  const b = new HandServer("b");
  const health = async () => {};
  const options = { openAfter: 1, backOffMs: 100, servers: [{ server: a, health }, { server: b }] };
  const { pool, time } = setUp(options);
  const tree = await treeOf(pool, [a, b], 0);
  void pool.sample(ask());
  a.reply();
  await settle();
  await pool.drain("a");
  b.weights = "w2";
  void pool.sample(ask(tree));
  b.reply();
  await settle();
  pool.undrain("a");
  void pool.sample(ask());
  a.reply();
  await settle();
  void pool.sample(ask(tree));
  expect(b.sent.length).toBe(2);
  void pool.sample(ask()).catch(() => {});
  a.fail("unreachable");
  await settle();
  await time.advance(100);
  void pool.sample(ask());
  await settle();
  a.sent.length = 0;
  void pool.sample(ask(tree));
  expect([a.trees, b.sent.length]).toEqual([[], 3]);
  void pool.drain("b");
  void pool.sample(ask(tree));
  expect(a.trees).toContain(tree);
});

test("trees are forgotten when there are too many: not one that is busy, and first the one idle for longest", async () => {
  const { pool, servers } = setUp({ rememberTrees: 3, maxConcurrent: 9 }, ["a"]);
  const [a] = servers as [HandServer];
  const sample = (tree: string) => {
    const reply = pool.sample(ask(tree)).then(
      () => "taken",
      () => "refused",
    );
    a.reply(a.pending.length - 1);
    return reply;
  };
  for (const tree of ["busy", "older", "old", "older"]) await sample(tree);
  void pool.sample(ask("busy"));
  for (const tree of ["older", "new"]) await sample(tree);
  a.weights = "w2";
  expect(await sample("busy")).toBe("refused");
  expect(await sample("older")).toBe("refused");
  expect(await sample("new")).toBe("refused");
  expect(await sample("old")).toBe("taken");
  for (const tree of ["1", "2", "3", "4"]) await sample(tree);
  expect(await sample("busy")).toBe("refused");
});

test("a tree that only waits is not forgotten", async () => {
  const { pool, servers } = setUp({ rememberTrees: 2, maxConcurrent: 1 }, ["a"]);
  const [a] = servers as [HandServer];
  const first = pool.sample(ask("x"));
  a.reply();
  await first;
  const calls = ["y", "x", "z", "x"].map((tree) =>
    pool.sample(ask(tree)).then(
      () => "taken",
      () => "refused",
    ),
  );
  a.weights = "w2";
  for (let n = 0; n < 4; n++) {
    a.reply();
    await settle();
  }
  expect(await Promise.all(calls)).toEqual(["taken", "refused", "taken", "refused"]);
});

test("trees of one task are trees of their own: the next begins with the weights of its day", async () => {
  const { pool, servers } = setUp({}, ["a"]);
  const [a] = servers as [HandServer];
  for (const [tree, version] of [
    ["task#1", "w1"],
    ["task#2", "w2"],
  ] as const) {
    a.weights = version;
    pool.expectWeights(version);
    const reply = pool.sample({ ...ask("task"), tree });
    a.reply();
    expect((await reply).weightVersion).toBe(version);
  }
  await expect(pool.sample({ ...ask("task"), tree: "task#1" })).rejects.toThrow(
    "tree `task#1` has seen weights `w1` and weights `w2` is expected",
  );
});

test("during a rolling update a tree goes where its version is known to be, not where it may be", async () => {
  const { pool, servers } = setUp({ overflowAt: 0 }, ["a", "b"]);
  const [a, b] = servers as [HandServer, HandServer];
  const tree = await treeOf(pool, servers, 1);
  const ofA = await treeOf(pool, servers, 0);
  for (const [key, server] of [
    [tree, b],
    [ofA, a],
  ] as const) {
    const first = pool.sample(ask(key));
    server.reply();
    await first;
  }
  await pool.drain("b");
  b.weights = "w2";
  pool.undrain("b");
  const more = [pool.sample(ask(tree)), pool.sample(ask(tree))];
  expect([a.pending.length, b.pending.length]).toEqual([2, 0]);
  a.reply();
  a.reply();
  for (const { weightVersion } of await Promise.all(more)) expect(weightVersion).toBe("w1");
});
