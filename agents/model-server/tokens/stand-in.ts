import type { Message } from "../../../core/dialogue.ts";

/** Stands for a reply in renderings. Letters only, so that no template trims, splits or escapes it. */
export const REPLY = "FORKGYMSENTINELREPLY";

export const QUESTION: Message = { role: "user", content: "Question" };

/** A conversation in which what follows the reply is what follows any reply before `message`. */
export function standIn(message: Message): readonly Message[] {
  return [QUESTION, { role: "assistant", content: REPLY }, message];
}
