import type { SimpleCommandNode, WordNode } from "just-bash";
import { ERR, LATE, OUT } from "./sink.ts";

type Redirection = SimpleCommandNode["redirections"][number];

/** A descriptor that no script uses: where it is open, the command's stdout and stderr go to the same place. */
export const SAME_FD = 198;

export function isMarkedSame(descriptors: ReadonlyMap<number, string> | undefined): boolean {
  return descriptors?.has(SAME_FD) === true;
}

export function markSame(): Redirection {
  return redirection(SAME_FD, "<<<", "same");
}

/** `>>` to what the sink takes for stdout, `2>>` to what it takes for stderr. */
export const toOut = (): Redirection => redirection(1, ">>", OUT);
export const toErr = (): Redirection => redirection(2, ">>", ERR);
export const toLate = (): Redirection => redirection(2, ">>", LATE);

/** Whether stdout and stderr end at the same place, if they started there (`merged`) or apart. */
export function isSame(redirections: readonly Redirection[], merged: boolean): boolean {
  let out = "stdout";
  let err = merged ? "stdout" : "stderr";
  for (const [at, { fd, operator, target }] of redirections.entries()) {
    const to = target.type === "Word" ? textOf(target) : undefined;
    if (
      operator === "&>" ||
      operator === "&>>" ||
      (operator === ">&" && fd === null && !/^\d$/.test(to ?? ""))
    )
      out = err = `file ${at}`;
    else if (operator === ">&") {
      const from = to === "1" ? out : to === "2" ? err : `descriptor ${to ?? at}`;
      if ((fd ?? 1) === 1) out = from;
      else if (fd === 2) err = from;
    } else if (operator === ">" || operator === ">>" || operator === ">|") {
      if ((fd ?? 1) === 1) out = `file ${at}`;
      else if (fd === 2) err = `file ${at}`;
    }
  }
  return out === err;
}

/** A word's text if it is written as it is meant, with or without quotes. */
export function textOf({ parts }: WordNode): string | undefined {
  let text = "";
  for (const part of parts) {
    if (part.type === "Literal" || part.type === "SingleQuoted" || part.type === "Escaped")
      text += part.value;
    else if (part.type === "DoubleQuoted") {
      const inner = textOf({ type: "Word", parts: part.parts });
      if (inner === undefined) return undefined;
      text += inner;
    } else return undefined;
  }
  return text;
}

export function wordOf(value: string): WordNode {
  return { type: "Word", parts: [{ type: "Literal", value }] };
}

function redirection(fd: number, operator: Redirection["operator"], target: string): Redirection {
  return { type: "Redirection", fd, operator, target: wordOf(target) };
}
