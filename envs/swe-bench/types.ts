import type { JsonObject } from "../../core/json.ts";

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
