import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Env, Settlement, Snapshot, Step } from "../../core/env.ts";
import { type GuessData, GuessEnv, type GuessState } from "../fakes/guess-env.ts";
import { GuessStore, NamedGuessEnv } from "../fakes/named-guess-env.ts";
import { type EnvContract, envLaws, testEnv } from "./index.ts";

const task = { id: "guess/5", data: { max: 5, maxTurns: 6 } };
const ending = { task, seed: 3, actions: [0, 0, 0, 0, 0, 0] };

function contract(make: () => Env<GuessData, string, number>): EnvContract<GuessData, string, number> {
  return {
    make,
    tasks: [task],
    action: fc.integer({ min: 1, max: 5 }),
    ending,
    noisy: true,
    numRuns: 100,
    replay: { seed: 7 },
  };
}

describe("snapshots that are the state itself", () => testEnv(contract(() => new GuessEnv())));

describe("snapshots that are names", () => {
  // One store for all: a snapshot is forked by another handle, too.
  const store = new GuessStore();
  testEnv(contract(() => new NamedGuessEnv(store)));
});

/** An episode that is stopped is worth a tenth for each turn that is left. */
class Settling extends GuessEnv {
  protected override blank(): GuessEnv {
    return new Settling(this.released);
  }
  async settle(): Promise<Settlement> {
    return { reward: this.left / 10, info: { left: this.left } };
  }
}

describe("an Env that settles", () => testEnv(contract(() => new Settling())));

/** The state itself is handed out, and written to from then on. */
class SnapshotSharesParent extends GuessEnv {
  readonly #live: { [key: string]: unknown } = { kind: "guess" };
  protected override save(): GuessState {
    return Object.assign(this.#live, super.save());
  }
  protected override move(action: number): Step<string> {
    const step = super.move(action);
    if ("max" in this.#live) Object.assign(this.#live, super.save());
    return step;
  }
}

/** Two forks of one snapshot count down in the snapshot's own field. */
class ForksShareSnapshot extends GuessEnv {
  #shared: { left: number } | undefined;
  protected override blank(): GuessEnv {
    return new ForksShareSnapshot(this.released);
  }
  protected override load(state: GuessState, seed: number | undefined): void {
    super.load(state, seed);
    this.#shared = state;
  }
  protected override move(action: number): Step<string> {
    if (this.#shared !== undefined) this.left = this.#shared.left;
    const step = super.move(action);
    if (this.#shared !== undefined) this.#shared.left = this.left;
    return step;
  }
}

/** A fork is a second name of the parent. */
class ForkIsParent extends GuessEnv {
  override async fork(): Promise<Env<GuessData, string, number>> {
    return this;
  }
}

class RngNotInSnapshot extends GuessEnv {
  static count = 0;
  protected override save(): GuessState {
    return { ...super.save(), rng: { c: 1, s0: 0.5, s1: 0.25, s2: 0.125 } };
  }
}

class StepAfterEnd extends GuessEnv {
  protected override checkStep(): void {
    this.end = null;
    super.checkStep();
  }
}

class StepBeforeReset extends GuessEnv {
  protected override checkStep(): void {
    if (this.rng !== undefined) super.checkStep();
  }
}

class SnapshotNotJson extends GuessEnv {
  protected override save(): GuessState {
    return { ...super.save(), made: new Date(0) } as GuessState;
  }
}

/** One release throws everything away that was ever saved. */
class ReleaseFreesTooMuch extends GuessEnv {
  static readonly all = new Set<Snapshot>();
  protected override save(): GuessState {
    const state = super.save();
    ReleaseFreesTooMuch.all.add(state);
    return state;
  }
  override async release(snapshot: Snapshot): Promise<void> {
    for (const saved of ReleaseFreesTooMuch.all) await super.release(saved);
    await super.release(snapshot);
  }
  protected override blank(): GuessEnv {
    return new ReleaseFreesTooMuch(this.released);
  }
}

class Unseeded extends GuessEnv {
  static count = 0;
  override reset(options: Parameters<GuessEnv["reset"]>[0]): Promise<string> {
    return super.reset({ ...options, seed: Unseeded.count++ });
  }
}

class SnapshotDraws extends GuessEnv {
  protected override save(): GuessState {
    this.rng!.next();
    return super.save();
  }
}

class NoiseIsIgnoredTwice extends GuessEnv {
  static count = 0;
  protected override load(state: GuessState, seed: number | undefined): void {
    super.load(state, seed === undefined ? undefined : NoiseIsIgnoredTwice.count++);
  }
  protected override blank(): GuessEnv {
    return new NoiseIsIgnoredTwice(this.released);
  }
}

class CloseKillsForks extends GuessEnv {
  readonly #forks: Env<GuessData, string, number>[] = [];
  override async fork(
    snapshot: Snapshot,
    options?: { seed?: number },
  ): Promise<Env<GuessData, string, number>> {
    const fork = await super.fork(snapshot, options);
    this.#forks.push(fork);
    return fork;
  }
  override async close(): Promise<void> {
    for (const fork of this.#forks) await fork.close();
    await super.close();
  }
}

class ReleaseForgotten extends GuessEnv {
  override async release(): Promise<void> {}
}

/** Only the very object that was handed out is known as released. */
class ReleaseGoesByObject extends NamedGuessEnv {
  static readonly store = new GuessStore();
  static readonly names = new WeakMap<Snapshot, string>();
  constructor() {
    super(ReleaseGoesByObject.store);
  }
  override async snapshot(): Promise<Snapshot> {
    const snapshot = await super.snapshot();
    ReleaseGoesByObject.names.set(snapshot, String(snapshot.name));
    return snapshot;
  }
  override async release(snapshot: Snapshot): Promise<void> {
    this.store.held.delete(ReleaseGoesByObject.names.get(snapshot) ?? "");
  }
}

/** Equal states share one name, and nobody counts how often it was given. */
class NamesShared extends NamedGuessEnv {
  static readonly store = new GuessStore();
  constructor() {
    super(NamesShared.store);
  }
  override async snapshot(): Promise<Snapshot> {
    const name = JSON.stringify(this.save());
    this.store.held.set(name, this.save());
    return { kind: "named-guess", name };
  }
}

class SecondSnapshotDiffers extends GuessEnv {
  #taken = false;
  protected override save(): GuessState {
    const state = super.save();
    const again = this.#taken;
    this.#taken = true;
    return again ? { ...state, left: state.left + 1 } : state;
  }
}

class RewardNotFinite extends GuessEnv {
  protected override move(action: number): Step<string> {
    return { ...super.move(action), reward: Number.NaN };
  }
}

/** The last fork that was made, whoever made it, is the only one that counts down. */
class LatestForkOnly extends GuessEnv {
  static latest: GuessEnv | undefined;
  protected override blank(): GuessEnv {
    return new LatestForkOnly(this.released);
  }
  protected override load(state: GuessState, seed: number | undefined): void {
    super.load(state, seed);
    LatestForkOnly.latest = this;
  }
  protected override move(action: number): Step<string> {
    if (LatestForkOnly.latest !== this) this.left++;
    return super.move(action);
  }
}

/** Forks are of a kind whose own snapshots forget the target. */
class ForkForgets extends GuessEnv {
  protected override blank(): GuessEnv {
    return new ForgetfulFork(this.released);
  }
}

class ForgetfulFork extends GuessEnv {
  protected override save(): GuessState {
    return { ...super.save(), left: 99 };
  }
}

class ForeignTaken extends GuessEnv {
  override async fork(snapshot: Snapshot, options?: { seed?: number }): ReturnType<GuessEnv["fork"]> {
    return snapshot.kind === "guess" ? super.fork(snapshot, options) : new GuessEnv();
  }
}

class StepAfterClose extends GuessEnv {
  override async close(): Promise<void> {}
}

class ResetKeepsTurns extends GuessEnv {
  #begun = false;
  override async reset(options: Parameters<GuessEnv["reset"]>[0]): Promise<string> {
    const left = this.left;
    const observation = await super.reset(options);
    if (this.#begun) this.left = left;
    this.#begun = true;
    return observation;
  }
}

/** Every observation is the same object, rewritten. */
class OneObservationObject extends GuessEnv {
  readonly #seen = { text: "" };
  protected override move(action: number): Step<string> {
    const { observation, ...step } = super.move(action);
    return { ...step, observation: Object.assign(this.#seen, { text: observation }) as unknown as string };
  }
}

class SeedsOf32Bits extends GuessEnv {
  override async reset(options: Parameters<GuessEnv["reset"]>[0]): Promise<string> {
    if (options.seed > 2 ** 32 - 1) throw new RangeError("a seed has 32 bits");
    return super.reset(options);
  }
}

class ForkSeedsOf32Bits extends GuessEnv {
  protected override blank(): GuessEnv {
    return new ForkSeedsOf32Bits(this.released);
  }
  protected override load(state: GuessState, seed: number | undefined): void {
    if (seed !== undefined && seed > 2 ** 32 - 1) throw new RangeError("a seed has 32 bits");
    super.load(state, seed);
  }
}

/** With a seed, a fork is a new episode. */
class SeededForkStartsAnew extends GuessEnv {
  protected override load(state: GuessState, seed: number | undefined): void {
    super.load(seed === undefined ? state : { ...state, left: 6, end: null }, seed);
  }
  protected override blank(): GuessEnv {
    return new SeededForkStartsAnew(this.released);
  }
}

class SeedIgnored extends GuessEnv {
  protected override load(state: GuessState): void {
    super.load(state, undefined);
  }
  protected override blank(): GuessEnv {
    return new SeedIgnored(this.released);
  }
}

class SettleNotFinite extends Settling {
  override async settle(): Promise<Settlement> {
    return { reward: Number.NaN };
  }
  protected override blank(): GuessEnv {
    return new SettleNotFinite(this.released);
  }
}

/** What it is worth is counted where snapshots do not look. */
class SettleForgets extends Settling {
  #played = 0;
  protected override move(action: number): Step<string> {
    this.#played++;
    return super.move(action);
  }
  override async settle(): Promise<Settlement> {
    return { reward: this.#played };
  }
  protected override blank(): GuessEnv {
    return new SettleForgets(this.released);
  }
}

class ForkDoesNotSettle extends Settling {
  protected override blank(): GuessEnv {
    return new GuessEnv(this.released);
  }
}

/** Settling uses up the turns of whom it was forked from. */
class SettleReachesParent extends Settling {
  #from: SettleReachesParent | undefined;
  override async settle(): Promise<Settlement> {
    if (this.#from !== undefined) this.#from.left = 1;
    return super.settle();
  }
  protected override blank(): GuessEnv {
    const fork = new SettleReachesParent(this.released);
    fork.#from = this;
    return fork;
  }
}

describe("a broken Env is caught, by name of law", () => {
  const broken: [new () => GuessEnv, ...string[]][] = [
    [SnapshotSharesParent, "a snapshot stays put while its parent moves on"],
    [ForksShareSnapshot, "one snapshot forks many times"],
    [ForkIsParent, "a fork never reaches its parent"],
    [RngNotInSnapshot, "a fork goes on as its parent would have"],
    [StepAfterEnd, "a step after the end is an EpisodeError, in a fork too"],
    [StepBeforeReset, "a step before reset is an EpisodeError"],
    [SnapshotNotJson, "a snapshot survives JSON and another handle"],
    [ReleaseFreesTooMuch, "releasing a snapshot leaves everything else alone"],
    [Unseeded, "the same seed and actions give the same steps"],
    [SnapshotDraws, "taking a snapshot changes nothing"],
    [NoiseIsIgnoredTwice, "fresh noise keeps the state and depends on its seed alone"],
    [CloseKillsForks, "closing an Env leaves its forks and snapshots alone"],
    [ReleaseForgotten, "a released snapshot cannot be forked, and releasing twice is fine"],
    [ResetKeepsTurns, "a reset starts afresh"],
    [SecondSnapshotDiffers, "taking a snapshot changes nothing"],
    [ReleaseGoesByObject, "a released snapshot cannot be forked, and releasing twice is fine"],
    [NamesShared, "releasing a snapshot leaves everything else alone"],
    [RewardNotFinite, "steps are JSON, rewards finite, reasons known"],
    [LatestForkOnly, "forks and parent run at once"],
    [ForkForgets, "a fork of a fork goes on too"],
    [ForeignTaken, "a foreign snapshot is a SnapshotError"],
    [OneObservationObject, "what was returned never changes"],
    [SeedsOf32Bits, "the same seed and actions give the same steps"],
    [ForkSeedsOf32Bits, "fresh noise keeps the state and depends on its seed alone"],
    [SeededForkStartsAnew, "a step after the end is an EpisodeError, in a fork too"],
    [SeedIgnored, "forks with other seeds differ, where the Env is noisy"],
    [SettleNotFinite, "settling is finite, JSON, and the same in a fork"],
    [SettleForgets, "settling is finite, JSON, and the same in a fork"],
    [ForkDoesNotSettle, "settling is finite, JSON, and the same in a fork"],
    [SettleReachesParent, "settling a fork never reaches its parent"],
    [StepAfterClose, "closing twice is fine, and a closed Env takes no step"],
  ];
  test("there is one for each law, but for the author's own ending", () => {
    const tried = new Set(broken.map(([, law]) => law));
    expect(Object.keys(envLaws).filter((law) => !tried.has(law))).toEqual(["the given actions reach an end"]);
  });

  test.each(broken)("%o", async (Broken, law) => {
    await expect(envLaws[law]!(contract(() => new Broken()))).rejects.toThrow();
  });

  test("an Env that is said to have no noise must not be moved by a seed, and one of which nothing is said may", async () => {
    const noise = "fresh noise keeps the state and depends on its seed alone";
    const other = "forks with other seeds differ, where the Env is noisy";
    const { noisy: _, ...unsaid } = contract(() => new GuessEnv());
    await expect(envLaws[noise]!({ ...unsaid, noisy: false })).rejects.toThrow("Property failed");
    await envLaws[noise]!(unsaid);
    await envLaws[other]!({ ...unsaid, make: () => new SeedIgnored() });
  });

  test("an ending that does not end is caught", async () => {
    const short = { ...contract(() => new GuessEnv()), ending: { ...ending, actions: [0] } };
    await expect(envLaws["the given actions reach an end"]!(short)).rejects.toThrow(
      "action 1 of 1 gave end: undefined",
    );
  });
});

test("a failure prints a seed and a path, and replaying them fails at once in the same way", async () => {
  const law = envLaws["one snapshot forks many times"]!;
  const told = await law(contract(() => new ForksShareSnapshot())).then(
    () => "",
    (error: Error) => error.message,
  );
  const [, seed, path] = /seed: (-?\d+), path: "([\d:]+)"/.exec(told) ?? [];
  expect(path).toBeDefined();
  const replay = { seed: Number(seed), path: path! };
  await expect(law({ ...contract(() => new ForksShareSnapshot()), replay })).rejects.toThrow("after 1 tests");
});

test("a law that does not exist cannot be skipped", () => {
  expect(() => testEnv({ ...contract(() => new GuessEnv()), skip: { "no such law": "why" } })).toThrow(
    'testEnv: `skip` names "no such law", which is no law',
  );
});
