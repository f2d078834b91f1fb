import type { Dialogue } from "../../core/dialogue.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Sandbox } from "../../core/sandbox/sandbox.ts";
import type { SweInstance } from "./instance.ts";

/** A call of one of the scaffold's tools; or a reply that was none, with what the model is to be told of it. */
export type SweAction =
  | { readonly tool: string; readonly arguments: Readonly<Record<string, string>> }
  | { readonly invalid: string };

export type SweObservation = {
  /** What the tool shows, ready for the model; empty at the start. */
  readonly text: string;
  /** Turns taken, from 0. */
  readonly turn: number;
  readonly turnsLeft: number;
  /** Of the command that ran; null if none did. */
  readonly exitCode: number | null;
};

/** What a tool keeps from one call to the next, so that a fork has it too: undo history, say. Plain JSON. */
export type ToolMemory = JsonObject;

/** What a tool works with. */
export interface ToolContext {
  readonly sandbox: Sandbox;
  readonly memory: ToolMemory;
  /** For one command, in milliseconds. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

export interface ToolResult {
  readonly text: string;
  readonly exitCode: number | null;
  /** Set where the tool keeps something else than before. */
  readonly memory?: ToolMemory;
  /** The agent is done. */
  readonly submitted?: boolean;
  /** The patch that it hands in, in place of what git finds changed; null if it is too long to be kept. */
  readonly submission?: string | null;
}

export interface Tool {
  /** @throws {SandboxError} if the sandbox is broken; whatever the agent did wrong is a result. */
  run(args: Readonly<Record<string, string>>, context: ToolContext): Promise<ToolResult>;
}

/** Tools and words that an agent is used to. */
export interface Scaffold {
  readonly name: string;
  readonly tools: Readonly<Record<string, Tool>>;
  readonly dialogue: Dialogue<SweInstance, SweObservation, SweAction>;
  /** Default for one command. */
  readonly timeoutMs: number;
  /** Default for one episode. */
  readonly turns: number;
}
