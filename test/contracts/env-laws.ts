import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import type { Snapshot } from "../../core/env.ts";
import { EpisodeError, SnapshotError } from "../../core/errors.ts";
import { forAll, type Law, once, play, started } from "./env-lab.ts";

const REASONS = ["success", "failure", "turn-limit", "time-limit"];

/** The laws of the Env contract by name; each rejects if the Env breaks it. */
export const envLaws: Readonly<Record<string, Law>> = {
  "the same seed and actions give the same steps": (contract) =>
    forAll(contract, async (open, { task, seed, before }) => {
      const [a, b] = [await open(), await open()];
      assert.deepEqual(await a.reset({ task, seed }), await b.reset({ task, seed }));
      assert.deepEqual(await play(a, before), await play(b, before));
    }),

  "a reset starts afresh": (contract) =>
    forAll(contract, async (open, { task, seed, before, after }) => {
      const [used, fresh] = [await open(), await open()];
      await used.reset({ task, seed: seed + 1 });
      await play(used, before);
      assert.deepEqual(await used.reset({ task, seed }), await fresh.reset({ task, seed }));
      assert.deepEqual(await play(used, after), await play(fresh, after));
    }),

  "steps are JSON, rewards finite, reasons known": (contract) =>
    forAll(contract, async (open, { task, seed, before }) => {
      const env = await open();
      const first = await env.reset({ task, seed });
      const steps = await play(env, before);
      assert.deepEqual(JSON.parse(JSON.stringify({ first, steps })), { first, steps });
      for (const { reward, end } of steps) {
        assert.ok(Number.isFinite(reward), `reward ${reward}`);
        assert.ok(end === undefined || REASONS.includes(end), `end ${end}`);
      }
    }),

  "what was returned never changes": (contract) =>
    forAll(contract, async (open, { task, seed, before, after, other }) => {
      const env = await open();
      const returned: { readonly value: unknown; readonly text: string }[] = [];
      const keep = (value: unknown) => void returned.push({ value, text: JSON.stringify(value) });
      keep({ observation: await env.reset({ task, seed }) });
      await play(env, before, keep);
      const fork = await open(env.fork(await env.snapshot()));
      await play(fork, other, keep);
      await play(env, after, keep);
      await env.reset({ task, seed: seed + 1 });
      await play(env, after);
      for (const { value, text } of returned)
        assert.equal(JSON.stringify(value), text, "what reset or step returned was changed later");
    }),

  "taking a snapshot changes nothing": (contract) =>
    forAll(contract, async (open, { task, seed, before, after }) => {
      const [watched, plain] = [
        await started(open, task, seed, before),
        await started(open, task, seed, before),
      ];
      const [one, other] = [await watched.snapshot(), await watched.snapshot()];
      const forks = [await open(watched.fork(one)), await open(watched.fork(other))];
      const expected = await play(plain, after);
      assert.deepEqual(await play(watched, after), expected);
      for (const fork of forks)
        assert.deepEqual(await play(fork, after), expected, "two snapshots of one state differ");
    }),

  "a fork goes on as its parent would have": (contract) =>
    forAll(contract, async (open, { task, seed, before, after }) => {
      const parent = await started(open, task, seed, before);
      const fork = await open(parent.fork(await parent.snapshot()));
      assert.deepEqual(await play(fork, after), await play(parent, after));
    }),

  "a fork never reaches its parent": (contract) =>
    forAll(contract, async (open, { task, seed, before, after, other }) => {
      const [parent, plain] = [
        await started(open, task, seed, before),
        await started(open, task, seed, before),
      ];
      const fork = await open(parent.fork(await parent.snapshot()));
      await play(fork, other);
      await fork.close();
      assert.deepEqual(await play(parent, after), await play(plain, after));
    }),

  "a snapshot stays put while its parent moves on": (contract) =>
    forAll(contract, async (open, { task, seed, before, after, other }) => {
      const [parent, plain] = [
        await started(open, task, seed, before),
        await started(open, task, seed, before),
      ];
      const snapshot = await parent.snapshot();
      await play(parent, other);
      assert.deepEqual(await play(await open(parent.fork(snapshot)), after), await play(plain, after));
    }),

  "one snapshot forks many times": (contract) =>
    forAll(contract, async (open, { task, seed, before, after, other }) => {
      const parent = await started(open, task, seed, before);
      const snapshot = await parent.snapshot();
      const text = JSON.stringify(snapshot);
      const first = await open(parent.fork(snapshot));
      const expected = await play(first, after);
      await play(await open(parent.fork(snapshot)), other);
      assert.deepEqual(await play(await open(parent.fork(snapshot)), after), expected);
      assert.equal(JSON.stringify(snapshot), text, "the snapshot itself was changed");
    }),

  "forks and parent run at once": (contract) =>
    forAll(contract, async (open, { task, seed, before, after }) => {
      const parent = await started(open, task, seed, before);
      const snapshot = await parent.snapshot();
      const plays = [1, 2, 3].map(async () => play(await open(parent.fork(snapshot)), after));
      const [own, ...forked] = await Promise.all([play(parent, after), ...plays]);
      for (const steps of forked) assert.deepEqual(steps, own);
    }),

  "a fork of a fork goes on too": (contract) =>
    forAll(contract, async (open, { task, seed, before, after, other }) => {
      const [parent, plain] = [
        await started(open, task, seed, before),
        await started(open, task, seed, before),
      ];
      const child = await open(parent.fork(await parent.snapshot()));
      const grandchild = await open(child.fork(await child.snapshot()));
      await play(child, other);
      await play(parent, other);
      assert.deepEqual(await play(grandchild, after), await play(plain, after));
    }),

  "a snapshot survives JSON and another handle": (contract) =>
    forAll(contract, async (open, { task, seed, before, after }) => {
      const parent = await started(open, task, seed, before);
      const snapshot = await parent.snapshot();
      const copy = JSON.parse(JSON.stringify(snapshot)) as Snapshot;
      assert.deepEqual(copy, snapshot, "the snapshot is not plain JSON");
      const expected = await play(parent, after);
      await parent.close();
      const stranger = await open();
      assert.deepEqual(await play(await open(stranger.fork(copy)), after), expected);
    }),

  "fresh noise keeps the state and depends on its seed alone": (contract) =>
    forAll(contract, async (open, { task, seed, before, after, other }) => {
      const parent = await started(open, task, seed, before);
      const snapshot = await parent.snapshot();
      const expected = await play(await open(parent.fork(snapshot)), after);
      const a = await play(await open(parent.fork(snapshot, { seed: seed + 1 })), after);
      await play(parent, other);
      const b = await play(await open(parent.fork(snapshot, { seed: seed + 1 })), after);
      assert.deepEqual(a, b);
      if (contract.noisy === false) assert.deepEqual(a, expected, "without noise a seed changes nothing");
      assert.deepEqual(
        await play(await open(parent.fork(snapshot)), after),
        expected,
        "the seed stuck to the snapshot",
      );
    }),

  "forks with other seeds differ, where the Env is noisy": async (contract) => {
    if (contract.noisy !== true) return;
    let differ = false;
    // The random cases alone may all be of tasks that chance leaves alone, or have ended before the fork.
    await once(contract, async (open) => {
      const { task, seed, actions } = contract.ending;
      const parent = await started(open, task, seed, []);
      const snapshot = await parent.snapshot();
      const forked = async (each: number) => play(await open(parent.fork(snapshot, { seed: each })), actions);
      const first = await forked(0);
      for (let each = 1; each <= 24 && !differ; each++)
        differ = !isDeepStrictEqual(await forked(each), first);
    });
    await forAll(contract, async (open, { task, seed, before, after }) => {
      if (differ) return;
      const parent = await started(open, task, seed, before);
      const snapshot = await parent.snapshot();
      const [first, ...others] = [seed, seed + 1, seed >= 2 ? seed - 2 : seed + 2].map(async (each) =>
        play(await open(parent.fork(snapshot, { seed: each })), after),
      );
      const steps = await first!;
      for (const other of others) differ ||= !isDeepStrictEqual(await other, steps);
    });
    assert.ok(differ, "forks with other seeds gave the same steps in every case: the seed is ignored");
  },

  "a released snapshot cannot be forked, and releasing twice is fine": (contract) =>
    forAll(contract, async (open, { task, seed, before }) => {
      const env = await started(open, task, seed, before);
      const snapshot = await env.snapshot();
      const copy = JSON.parse(JSON.stringify(await env.snapshot())) as Snapshot;
      for (const released of [snapshot, copy]) {
        await env.release(released);
        await env.release(released);
        await assert.rejects(async () => env.fork(released), SnapshotError);
      }
    }),

  "releasing a snapshot leaves everything else alone": (contract) =>
    forAll(contract, async (open, { task, seed, before, after }) => {
      const parent = await started(open, task, seed, before);
      const released = await parent.snapshot();
      const twin = await parent.snapshot();
      const fork = await open(parent.fork(released));
      const kept = await fork.snapshot();
      await parent.release(released);
      const expected = await play(parent, after);
      for (const other of [kept, twin])
        assert.deepEqual(await play(await open(parent.fork(other)), after), expected);
      assert.deepEqual(await play(fork, after), expected);
    }),

  "closing an Env leaves its forks and snapshots alone": (contract) =>
    forAll(contract, async (open, { task, seed, before, after }) => {
      const parent = await started(open, task, seed, before);
      const snapshot = await parent.snapshot();
      const fork = await open(parent.fork(snapshot));
      await parent.close();
      const steps = await play(fork, after);
      assert.deepEqual(await play(await open(fork.fork(snapshot)), after), steps);
    }),

  "settling is finite, JSON, and the same in a fork": (contract) =>
    forAll(contract, async (open, { task, seed, before }) => {
      const parent = await open();
      await parent.reset({ task, seed });
      const steps = await play(parent, before);
      if (parent.settle === undefined || steps.at(-1)?.end !== undefined) return;
      const fork = await open(parent.fork(await parent.snapshot()));
      const settlement = await fork.settle?.();
      assert.ok(settlement !== undefined, "a fork of an Env that settles does not");
      assert.ok(Number.isFinite(settlement.reward), `reward ${settlement.reward}`);
      assert.deepEqual(JSON.parse(JSON.stringify(settlement)), settlement);
      assert.deepEqual(await parent.settle(), settlement);
    }),

  "settling a fork never reaches its parent": (contract) =>
    forAll(contract, async (open, { task, seed, before, after }) => {
      const [parent, plain] = [await open(), await started(open, task, seed, before)];
      await parent.reset({ task, seed });
      const steps = await play(parent, before);
      if (parent.settle === undefined || steps.at(-1)?.end !== undefined) return;
      const fork = await open(parent.fork(await parent.snapshot()));
      await fork.settle?.();
      await fork.close();
      assert.deepEqual(await play(parent, after), await play(plain, after));
    }),

  "a foreign snapshot is a SnapshotError": (contract) =>
    once(contract, async (open) => {
      const env = await open();
      await assert.rejects(async () => env.fork({ kind: "no such kind" }), SnapshotError);
    }),

  "a step before reset is an EpisodeError": (contract) =>
    forAll({ ...contract, numRuns: 3 }, async (open, { after }) => {
      const env = await open();
      for (const action of after.slice(0, 1))
        await assert.rejects(async () => env.step(action), EpisodeError);
      await assert.rejects(async () => env.snapshot(), EpisodeError);
    }),

  "the given actions reach an end": (contract) =>
    once(contract, async (open) => {
      const { task, seed, actions } = contract.ending;
      const env = await open();
      await env.reset({ task, seed });
      for (const [index, action] of actions.entries()) {
        const { end } = await env.step(action);
        const last = index === actions.length - 1;
        assert.equal(end !== undefined, last, `action ${index + 1} of ${actions.length} gave end: ${end}`);
      }
    }),

  "a step after the end is an EpisodeError, in a fork too": (contract) =>
    once(contract, async (open) => {
      const { task, seed, actions } = contract.ending;
      const env = await started(open, task, seed, actions);
      const action = actions[0]!;
      await assert.rejects(async () => env.step(action), EpisodeError);
      const fork = await open(env.fork(await env.snapshot()));
      await assert.rejects(async () => fork.step(action), EpisodeError);
      const noisy = await open(env.fork(await env.snapshot(), { seed: 1 }));
      await assert.rejects(async () => noisy.step(action), EpisodeError, "a seed changed the state");
      await env.reset({ task, seed });
      await env.step(action);
    }),

  "closing twice is fine, and a closed Env takes no step": (contract) =>
    forAll({ ...contract, numRuns: 3 }, async (open, { task, seed, before, after }) => {
      const env = await started(open, task, seed, before);
      await env.close();
      await env.close();
      for (const action of after.slice(0, 1))
        await assert.rejects(async () => env.step(action), EpisodeError);
      await assert.rejects(async () => env.snapshot(), EpisodeError);
    }),
};
