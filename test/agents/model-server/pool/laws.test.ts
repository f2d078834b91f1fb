import fc from "fast-check";
import { expect, test } from "vitest";
import { ServerError, type ServerFault } from "../../../../agents/model-server/errors.ts";
import type { Sample } from "../../../../agents/model-server/model-server.ts";
import { type ServerPool, serverPool } from "../../../../agents/model-server/pool/pool.ts";
import { ask, HandServer } from "./hand-server.ts";
import { settle, VirtualTime } from "./virtual-time.ts";

const place = fc.nat({ max: 20 });
const fault = fc.constantFrom<ServerFault>(
  "unreachable",
  "timeout",
  "overloaded",
  "refused",
  "server-error",
  "cut",
  "malformed",
  "aborted-by-server",
);

type Event =
  | { readonly do: "ask"; readonly tree: string | undefined }
  | { readonly do: "abort"; readonly call: number }
  | { readonly do: "reply"; readonly server: number; readonly place: number }
  | {
      readonly do: "fail";
      readonly server: number;
      readonly place: number;
      readonly fault: ServerFault;
      readonly retryAfterMs: number | undefined;
    }
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: "kill" | "revive" | "drain" | "undrain"; readonly server: number }
  | { readonly do: "weights"; readonly server: number; readonly version: string | undefined };

const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("ask" as const),
      tree: fc.constantFrom("x", "y", "z", "v", undefined),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("abort" as const), call: place }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("reply" as const), server: place, place }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("fail" as const),
      server: place,
      place,
      fault,
      retryAfterMs: fc.option(fc.integer({ min: 1, max: 400 }), { nil: undefined }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.integer({ min: 1, max: 300 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constantFrom("kill" as const, "revive" as const, "drain" as const, "undrain" as const),
      server: place,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("weights" as const),
      server: place,
      version: fc.constantFrom("w1", "w2", undefined),
    }),
  },
);

const setting = fc.record({
  places: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 3 }),
  health: fc.boolean(),
  overflowAt: fc.constantFrom(0, 1, 3, Number.POSITIVE_INFINITY),
  overflowStays: fc.boolean(),
  queueTimeoutMs: fc.constantFrom(250, 2000, Number.POSITIVE_INFINITY),
  mixedVersions: fc.constantFrom("refuse" as const, "allow" as const),
});
type Setting = typeof setting extends fc.Arbitrary<infer T> ? T : never;

interface Asked {
  readonly tree: string | undefined;
  readonly abort: AbortController;
  settled: number;
  outcome: { readonly sample: Sample } | { readonly error: unknown } | undefined;
}

/** A pool, its servers and everything that was asked of it. */
class Play {
  readonly time: VirtualTime = new VirtualTime();
  readonly servers: HandServer[];
  readonly pool: ServerPool;
  readonly asked: Asked[] = [];
  /** How much a drained endpoint had been sent when its drain began. */
  readonly #drained = new Map<HandServer, number>();
  readonly #setting: Setting;

  constructor(options: Setting) {
    this.#setting = options;
    this.servers = options.places.map((_, n) => new HandServer(`s${n}`));
    this.pool = serverPool({
      ...options,
      servers: this.servers.map((server, n) => ({
        server,
        maxConcurrent: options.places[n]!,
        ...(options.health && {
          health: async () => {
            if (server.down !== undefined) throw new Error("down");
          },
        }),
      })),
      openAfter: 2,
      backOffMs: 100,
      backOffMaxMs: 400,
      clock: this.time.clock,
      timer: this.time.timer,
    });
  }

  ask(tree: string | undefined): void {
    const asked: Asked = { tree, abort: new AbortController(), settled: 0, outcome: undefined };
    this.asked.push(asked);
    const end = (outcome: Asked["outcome"]) => {
      asked.settled++;
      asked.outcome = outcome;
    };
    this.pool.sample(ask(tree), asked.abort.signal).then(
      (sample) => end({ sample }),
      (error: unknown) => end({ error }),
    );
  }

  async take(step: Event): Promise<void> {
    if (step.do === "ask") this.ask(step.tree);
    else if (step.do === "abort")
      this.asked[step.call % Math.max(1, this.asked.length)]?.abort.abort("taken back");
    else if (step.do === "wait") await this.time.advance(step.ms);
    else {
      const server = this.servers[step.server % this.servers.length]!;
      const waiting = server.pending.length;
      if (step.do === "reply" && waiting > 0) server.reply(step.place % waiting);
      if (step.do === "fail" && waiting > 0) {
        server.fail(step.fault, {
          place: step.place % waiting,
          ...(step.retryAfterMs && { retryAfterMs: step.retryAfterMs }),
        });
      }
      if (step.do === "kill") {
        server.down = "unreachable";
        while (server.pending.length > 0) server.fail("cut");
      }
      if (step.do === "revive") server.down = undefined;
      if (step.do === "drain") {
        if (!this.#drained.has(server)) this.#drained.set(server, server.sent.length);
        this.pool.drain(server.name).catch(() => {});
      }
      if (step.do === "undrain") {
        this.#drained.delete(server);
        this.pool.undrain(server.name);
      }
      if (step.do === "weights") server.weights = step.version;
    }
    await settle();
    this.check();
  }

  /** What must hold whenever everything has come to rest. */
  check(): void {
    const stats = this.pool.stats();
    const { overflowAt, places, mixedVersions } = this.#setting;
    for (const [n, server] of this.servers.entries()) {
      expect(server.most, "never more at an endpoint than its places").toBeLessThanOrEqual(places[n]!);
      expect(stats.endpoints[n]!.inFlight).toBe(server.pending.length);
    }
    for (const [server, sent] of this.#drained) {
      expect(server.sent.length, "nothing new goes to a drained endpoint").toBe(sent);
    }
    const free = stats.endpoints.filter(
      ({ state, draining, inFlight, maxConcurrent }) =>
        state === "closed" && !draining && inFlight < maxConcurrent,
    );
    for (const { queued } of free) expect(queued, "nothing waits for an endpoint with a free place").toBe(0);
    const longest = Math.max(...stats.endpoints.map(({ queued }) => queued));
    if (free.length > 0 && mixedVersions === "allow")
      expect(longest, "no long line beside a free place").toBeLessThanOrEqual(overflowAt);
    const open = this.asked.filter(({ settled }) => settled === 0).length;
    expect(stats.inFlight + stats.queued, "what is neither waiting nor under way has settled").toBe(open);
  }

  /** Everything is well again and is answered. */
  async finish(): Promise<void> {
    for (const server of this.servers) {
      await this.take({ do: "revive", server: this.servers.indexOf(server) });
      await this.take({ do: "undrain", server: this.servers.indexOf(server) });
    }
    for (let round = 0; round < 200 && this.asked.some(({ settled }) => settled === 0); round++) {
      for (const server of this.servers) while (server.pending.length > 0) server.reply();
      await this.take({ do: "wait", ms: 100 });
    }
  }
}

test("whatever fails, every request settles, is sent at most once, and no endpoint gets more than its places", async () => {
  await fc.assert(
    fc.asyncProperty(setting, fc.array(event, { maxLength: 60, size: "max" }), async (options, events) => {
      const play = new Play(options);
      for (const step of events) await play.take(step);
      await play.finish();
      for (const { settled, outcome } of play.asked) {
        expect(settled).toBe(1);
        if ("error" in outcome! && outcome.error !== "taken back")
          expect(outcome.error).toBeInstanceOf(ServerError);
      }
      const sent = play.servers.flatMap((server) => server.sent.map(({ seed }) => seed));
      expect(new Set(sent).size).toBe(sent.length);
      expect(play.pool.stats()).toMatchObject({ queued: 0, inFlight: 0 });
      expect(play.time.timers).toBe(0);
    }),
    { numRuns: 300 },
  );
});

test("no tree mixes weight versions", async () => {
  const refusing = setting.map((options) => ({ ...options, mixedVersions: "refuse" as const }));
  await fc.assert(
    fc.asyncProperty(refusing, fc.array(event, { maxLength: 60, size: "max" }), async (options, events) => {
      const play = new Play(options);
      for (const step of events) await play.take(step);
      await play.finish();
      const seen = new Map<string, Set<string | undefined>>();
      for (const { tree, outcome } of play.asked) {
        if (tree === undefined || !("sample" in outcome!)) continue;
        const versions = seen.get(tree) ?? new Set();
        seen.set(tree, versions.add(outcome.sample.weightVersion));
      }
      for (const versions of seen.values()) expect(versions.size).toBe(1);
    }),
    { numRuns: 200 },
  );
});

test("an endpoint that was killed and brought back gets traffic again", async () => {
  await fc.assert(
    fc.asyncProperty(setting, fc.array(event, { maxLength: 40, size: "max" }), async (options, events) => {
      const play = new Play({ ...options, mixedVersions: "allow" });
      for (const step of events) await play.take(step);
      await play.finish();
      for (const server of play.servers) server.sent.length = 0;
      for (let n = 0; n < 60; n++) {
        play.ask(`fresh ${n}`);
        await play.time.advance(50);
        for (const server of play.servers) while (server.pending.length > 0) server.reply();
        await settle();
      }
      for (const { sent } of play.servers) expect(sent.length).toBeGreaterThan(0);
      for (const { state } of play.pool.stats().endpoints) expect(state).toBe("closed");
    }),
    { numRuns: 100 },
  );
});

test("while a tree waits for its endpoint, no other tree gets more than one place there", async () => {
  const steps = fc.array(
    fc.oneof(
      fc.record({ ask: fc.constantFrom("x", "y", "z", "v", "w"), times: fc.integer({ min: 1, max: 6 }) }),
      fc.record({ server: place, place }),
    ),
    { maxLength: 80, size: "max" },
  );
  const few = fc.array(fc.integer({ min: 1, max: 2 }), { minLength: 1, maxLength: 2 });
  await fc.assert(
    fc.asyncProperty(few, steps, async (places, script) => {
      const never = { overflowAt: Number.POSITIVE_INFINITY, queueTimeoutMs: Number.POSITIVE_INFINITY };
      const play = new Play({
        places,
        health: false,
        overflowStays: false,
        mixedVersions: "allow",
        ...never,
      });
      const home = new Map<string, HandServer>();
      const waiting = new Map<string, number>();
      const gotSince = new Map<string, Map<string, number>>();
      const counted = play.servers.map(() => 0);
      const note = () => {
        for (const [n, server] of play.servers.entries()) {
          for (; counted[n]! < server.sent.length; counted[n]!++) {
            const tree = server.sent[counted[n]!]!.affinity!;
            expect(home.get(tree) ?? server).toBe(server);
            home.set(tree, server);
            waiting.set(tree, waiting.get(tree)! - 1);
            gotSince.set(tree, new Map());
            for (const [other, got] of gotSince) {
              if (other === tree || waiting.get(other) === 0 || home.get(other) !== server) continue;
              got.set(tree, (got.get(tree) ?? 0) + 1);
              expect(got.get(tree), `${tree} while ${other} waits`).toBeLessThanOrEqual(1);
            }
          }
        }
      };
      for (const step of script) {
        if ("ask" in step) {
          for (let n = 0; n < step.times; n++) {
            if ((waiting.get(step.ask) ?? 0) === 0) gotSince.set(step.ask, new Map());
            waiting.set(step.ask, (waiting.get(step.ask) ?? 0) + 1);
            play.ask(step.ask);
            note();
          }
        } else {
          const server = play.servers[step.server % play.servers.length]!;
          if (server.pending.length > 0) server.reply(step.place % server.pending.length);
          await settle();
          note();
        }
      }
      await play.finish();
      note();
      expect([...waiting.values()].every((left) => left === 0)).toBe(true);
    }),
    { numRuns: 200 },
  );
});
