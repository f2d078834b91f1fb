// An environment of one's own: find a hidden number. Its tests are one call of `testEnv` (see CONTRIBUTING.md).
import {
  createRng,
  type Env,
  EpisodeError,
  independent,
  type JsonObject,
  rollout,
  type Snapshot,
  SnapshotError,
  type Step,
  type Task,
} from "forkgym";
import { scripted } from "forkgym/agents";

type Data = { readonly max: number; readonly maxTurns: number };
type State = {
  readonly kind: "guess";
  readonly target: number;
  readonly turnsLeft: number;
  readonly over: boolean;
};

/**
 * Observation: "start", "higher", "lower" or "found".
 * Action: a whole number.
 * Reward: 1 for the number, else 0.
 * Ends: success on the number; turn-limit after `maxTurns` guesses.
 */
class GuessEnv implements Env<Data, string, number> {
  #state: State | undefined;
  static readonly #released = new WeakSet<JsonObject>();

  async reset({ task, seed }: { task: Task<Data>; seed: number }): Promise<string> {
    const target = 1 + createRng(seed).below(task.data.max);
    this.#state = { kind: "guess", target, turnsLeft: task.data.maxTurns, over: false };
    return "start";
  }

  async step(guess: number): Promise<Step<string>> {
    const { target, turnsLeft, over } = this.#open();
    if (over) throw new EpisodeError("guess: the episode has ended; reset first");
    const found = guess === target;
    const end = found ? "success" : turnsLeft === 1 ? "turn-limit" : undefined;
    this.#state = { kind: "guess", target, turnsLeft: turnsLeft - 1, over: end !== undefined };
    const observation = found ? "found" : guess < target ? "higher" : "lower";
    return { observation, reward: found ? 1 : 0, ...(end && { end }) };
  }

  // The state is immutable JSON, so the snapshot is the state itself.
  async snapshot(): Promise<Snapshot> {
    return { ...this.#open() };
  }

  // There is no random stream after the reset, so a seed for fresh noise changes nothing.
  async fork(snapshot: Snapshot): Promise<GuessEnv> {
    if (snapshot.kind !== "guess") throw new SnapshotError("guess: not a snapshot of a GuessEnv");
    if (GuessEnv.#released.has(snapshot)) throw new SnapshotError("guess: the snapshot was released");
    const fork = new GuessEnv();
    fork.#state = { ...(snapshot as State) };
    return fork;
  }

  async release(snapshot: Snapshot): Promise<void> {
    GuessEnv.#released.add(snapshot);
  }

  async close(): Promise<void> {
    this.#state = undefined;
  }

  #open(): State {
    if (this.#state === undefined) throw new EpisodeError("guess: reset first");
    return this.#state;
  }
}

const task = { id: "guess/100", data: { max: 100, maxTurns: 10 } };
const halving = scripted<Data, string, number>(({ node }) => {
  let [low, high] = [1, 100];
  for (let at = node; at.parent !== undefined; at = at.parent) {
    const guess = at.choice!.action;
    if (at.observation === "higher") low = Math.max(low, guess + 1);
    else high = Math.min(high, guess - 1);
  }
  return Math.floor((low + high) / 2);
});
const strategy = independent({ n: 1 });
const { leaves } = await rollout(task, { env: () => new GuessEnv(), policy: halving, strategy, seed: 3 });
console.log(leaves.map(({ end, node }) => `${end} after ${node.turn} guesses`));
