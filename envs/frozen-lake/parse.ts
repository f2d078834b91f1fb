import type { RllmAction } from "./rllm-rules.ts";

/** rLLM's own action codes: 1 left, 2 down, 3 right, 4 up. */
const BY_CODE: readonly RllmAction[] = ["invalid", "left", "down", "right", "up"];

/**
 * The action in a reply, as rLLM reads it: fences of three backticks are paired from the left, and what stands
 * between the last pair must be nothing but left, down, right or up in any case, or its code 1 to 4 in digits.
 * All else is "invalid", a language tag too; a stray fence shifts the pairs. Source: rLLM v0.2.1 frozenlake_agent.py.
 */
export function parseRllmAction(reply: string): RllmAction {
  let last: string | undefined;
  for (const match of reply.matchAll(/```(.*?)```/gs)) last = match[1];
  const word = last === undefined ? undefined : stripped(last).toLowerCase();
  if (word === "left" || word === "down" || word === "right" || word === "up") return word;
  if (word !== undefined && /^0*[1-4]$/.test(word)) return BY_CODE[Number(word)]!;
  return "invalid";
}

/** `text` without white space around it, as Python's `str.strip` counts it. */
function stripped(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isSpace(text, from)) from++;
  while (to > from && isSpace(text, to - 1)) to--;
  return text.slice(from, to);
}

/** Python knows five white spaces more than `trim` does (28 to 31 and 133), and not the byte order mark. */
function isSpace(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return (code >= 28 && code <= 31) || code === 133 || (code !== 0xfeff && text[at]!.trim() === "");
}
