import type { Node } from "./rollout/tree.ts";
import type { Task } from "./task.ts";

export interface Message {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

/** How an Env is played in words: observations become messages, replies become actions. Pure functions. */
export interface Dialogue<Data, Obs, Act> {
  readonly name: string;
  /** What stands before the first turn: usually the system message. */
  opening(task: Task<Data>): readonly Message[];
  /** The user message for where the branch stands; `node.turn` replies came before it. */
  observe(task: Task<Data>, node: Node<Obs, Act>): Message;
  /** The action in a reply. A reply that does not parse is an invalid action, never an exception. */
  parse(reply: string): Act;
}
