import type { EndReason, Env, Settlement, Snapshot, Step } from "../../core/env.ts";
import { EpisodeError, SandboxError, SnapshotError } from "../../core/errors.ts";
import { type JsonObject, sha256 } from "../../core/json.ts";
import type { Sandbox } from "../../core/sandbox/sandbox.ts";
import type { Task } from "../../core/task.ts";
import type { Grader } from "./grader.ts";
import { verdictOf } from "./grading/evaluate.ts";
import type { SweInstance } from "./instance.ts";
import { baseOf, isTooLong, takePatch } from "./patch.ts";
import { unknownTool } from "./scaffolds.ts";
import type { Scaffold, SweAction, SweObservation, ToolMemory, ToolResult } from "./types.ts";
import type { Workspaces } from "./workspaces/workspaces.ts";

export interface SweBenchOptions {
  /** Where agents work. */
  readonly workspaces: Workspaces;
  /** Who says what a patch is worth, in fresh sandboxes of its own. */
  readonly grader: Grader;
  /** The agent's tools. */
  readonly scaffold: Scaffold;
  /** Turns of an episode. @default the scaffold's */
  readonly turns?: number;
  /** For one command, in milliseconds. @default the scaffold's */
  readonly timeoutMs?: number;
  /** So many replies in a row that are no call end the episode, from 1; mini-swe-agent has 3. @default no limit */
  readonly formatErrors?: number;
}

/** An episode under way, apart from its sandbox. All of it is JSON. */
type State = {
  readonly task: Task<SweInstance>;
  /** Commit or tree that the patch is taken against. */
  readonly base: string;
  readonly turn: number;
  readonly memory: ToolMemory;
  readonly end: EndReason | null;
  /** What a tool handed in as the patch; absent if none did. */
  readonly submission?: string | null;
  /** Replies in a row, up to the last one, that were no call; absent where they do not count. */
  readonly invalid?: number;
};

const KIND = "swe-bench";

/**
 * A repository with a bug, an issue, and tools; the tests that decide are run in a sandbox that the agent never sees.
 *
 * Observation: {@link SweObservation}, what the tool that was called shows; nothing at the start, where the issue is
 * the task's `problemStatement`.
 * Action: {@link SweAction}, a call of one of the scaffold's tools. A reply that was none costs a turn.
 * Reward: 1 with the last step if the patch resolves the issue, else 0; no patch, one that is too long and one that
 * does not apply are worth 0.
 * Ends: "success" or "failure" when the agent submits; "turn-limit" after `turns`, with the reward of what is there;
 * "failure" with reward 0 after `formatErrors` replies in a row that were no call.
 *
 * Deterministic as far as the commands are. If grading fails for reasons that are not the patch's, the step (or
 * `settle`) throws a SandboxError, so that the branch has no reward instead of a false one. The last step's `info` and
 * the settlement's have the patch.
 */
export class SweBench implements Env<SweInstance, SweObservation, SweAction> {
  readonly #options: SweBenchOptions;
  #sandbox: Sandbox | undefined;
  #state: State | undefined;
  readonly #closing = new AbortController();

  constructor(options: SweBenchOptions) {
    this.#options = options;
  }

  /** @throws {InputError} if there is no sandbox to be had, or the task cannot be graded. @throws {SandboxError} */
  async reset({
    task,
  }: {
    readonly task: Task<SweInstance>;
    readonly seed: number;
  }): Promise<SweObservation> {
    if (this.#closed) throw new EpisodeError("swe-bench: the environment is closed");
    this.#options.grader.check?.(task.data);
    await this.#drop();
    const sandbox = await this.#options.workspaces.open(task.data, "agent");
    this.#sandbox = sandbox;
    this.#state = { task, base: await baseOf(sandbox), turn: 0, memory: {}, end: null };
    return this.#observe("", null);
  }

  /** @throws {SandboxError} if the sandbox broke, or the patch could not be graded. */
  async step(action: SweAction): Promise<Step<SweObservation>> {
    const [sandbox, state] = this.#running("step");
    if (state.end !== null) throw new EpisodeError("swe-bench: the episode is over; reset it");
    const {
      text,
      exitCode,
      memory = state.memory,
      submitted = false,
      submission,
    } = await this.#act(sandbox, state, action);
    const turn = state.turn + 1;
    const { formatErrors } = this.#options;
    const invalid = "tool" in action ? 0 : (state.invalid ?? 0) + 1;
    this.#state = {
      ...state,
      turn,
      memory,
      ...(submission !== undefined && { submission }),
      ...(formatErrors !== undefined && { invalid }),
    };
    const observation = this.#observe(text, exitCode);
    if (formatErrors !== undefined && invalid >= formatErrors) {
      this.#state = { ...this.#state, end: "failure" };
      return { observation, reward: 0, end: "failure", info: { outcome: "format-errors" } };
    }
    const isLast = turn >= this.#turns;
    if (!submitted && !isLast) return { observation, reward: 0 };
    const { reward, info } = await this.#grade(sandbox, this.#state);
    const end = submitted ? (reward === 1 ? "success" : "failure") : "turn-limit";
    this.#state = { ...this.#state, end };
    return { observation, reward, end, info };
  }

  async snapshot(): Promise<Snapshot> {
    const [sandbox, state] = this.#running("snapshot");
    return { kind: KIND, sandbox: await sandbox.snapshot(), state: state as unknown as JsonObject };
  }

  /** The noise of commands has no seed; `options.seed` changes nothing. @throws {EpisodeError} after `close`. */
  async fork(snapshot: Snapshot): Promise<SweBench> {
    if (this.#closed) throw new EpisodeError("swe-bench: the environment is closed");
    const held = check(snapshot);
    const child = new SweBench(this.#options);
    child.#sandbox = await this.#options.workspaces.fork(held.sandbox);
    child.#state = held.state;
    return child;
  }

  /** @throws {EpisodeError} after `close`. */
  async release(snapshot: Snapshot): Promise<void> {
    if (this.#closed) throw new EpisodeError("swe-bench: the environment is closed");
    await this.#options.workspaces.release(check(snapshot).sandbox);
  }

  /** Grades what is there. @throws {SandboxError} if that cannot be done. */
  async settle(): Promise<Settlement> {
    const [sandbox, state] = this.#running("settle");
    return state.end === null ? this.#grade(sandbox, state) : { reward: 0 };
  }

  async close(): Promise<void> {
    this.#closing.abort(new EpisodeError("swe-bench: the environment was closed"));
    await this.#drop();
  }

  get #closed(): boolean {
    return this.#closing.signal.aborted;
  }

  get #turns(): number {
    return this.#options.turns ?? this.#options.scaffold.turns;
  }

  async #act(sandbox: Sandbox, { memory }: State, action: SweAction): Promise<ToolResult> {
    const { scaffold, timeoutMs = this.#options.scaffold.timeoutMs } = this.#options;
    if (!("tool" in action)) return { text: action.invalid, exitCode: null };
    const tool = Object.hasOwn(scaffold.tools, action.tool) ? scaffold.tools[action.tool] : undefined;
    if (tool === undefined) return { text: unknownTool(scaffold, action.tool), exitCode: null };
    return tool.run(action.arguments, { sandbox, memory, timeoutMs });
  }

  async #grade(sandbox: Sandbox, state: State): Promise<Settlement & { readonly info: JsonObject }> {
    const { task, base, submission } = state;
    const patch = submission === undefined ? await takePatch(sandbox, base) : submission;
    if (patch === undefined || patch === null || isTooLong(patch))
      return { reward: 0, info: { outcome: "no-patch" } };
    const evaluation = await this.#options.grader.grade(task.data, patch, this.#closing.signal);
    const resolved = verdictOf(evaluation);
    if (resolved === undefined) {
      const { reason } = evaluation as { readonly reason: string };
      throw new SandboxError(`swe-bench: ${task.id} could not be graded: ${reason}`);
    }
    const { outcome } = evaluation;
    return { reward: resolved ? 1 : 0, info: { outcome, patch, patchSha256: sha256(patch) } };
  }

  #observe(text: string, exitCode: number | null): SweObservation {
    const { turn } = this.#state!;
    return { text, turn, turnsLeft: Math.max(0, this.#turns - turn), exitCode };
  }

  #running(what: string): [Sandbox, State] {
    if (this.#sandbox !== undefined && this.#state !== undefined) return [this.#sandbox, this.#state];
    throw new EpisodeError(`swe-bench: ${what} ${this.#closed ? "after close" : "before reset"}`);
  }

  async #drop(): Promise<void> {
    const sandbox = this.#sandbox;
    this.#sandbox = undefined;
    this.#state = undefined;
    await sandbox?.close();
  }
}

function check(snapshot: Snapshot): { readonly sandbox: Snapshot; readonly state: State } {
  const { kind, sandbox, state } = snapshot;
  const isOurs =
    kind === KIND && typeof sandbox === "object" && sandbox !== null && typeof state === "object";
  if (isOurs && state !== null) return snapshot as unknown as { sandbox: Snapshot; state: State };
  throw new SnapshotError(`swe-bench: expected a snapshot of kind ${KIND}, got ${JSON.stringify(kind)}`);
}
