import { diffArrays } from "diff";

/** Edits after which the shortest way is no longer looked for, and all that differs is one block. */
const MAX_EDITS = 5000;

/** Lines `from` to before `to` of the old text, in whose place those of the new text are. */
export interface Block {
  readonly oldFrom: number;
  readonly oldTo: number;
  readonly newFrom: number;
  readonly newTo: number;
}

/** The lines of a text of bytes, each with its line end; the last may lack one. */
export function linesOf(content: Uint8Array): string[] {
  const text = Buffer.from(content.buffer, content.byteOffset, content.length).toString("latin1");
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** What differs, in order, as blocks that do not touch. */
export function blocksOf(old: readonly string[], now: readonly string[]): Block[] {
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head++;
  let tail = 0;
  const most = Math.min(old.length, now.length) - head;
  while (tail < most && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++;
  const [before, after] = [old.slice(head, old.length - tail), now.slice(head, now.length - tail)];
  if (before.length === 0 && after.length === 0) return [];
  const whole = { oldFrom: head, oldTo: old.length - tail, newFrom: head, newTo: now.length - tail };
  if (before.length === 0 || after.length === 0) return slid([whole], old, now);
  const parts = diffArrays(before, after, { maxEditLength: MAX_EDITS });
  if (!parts) return [whole];
  const blocks: Block[] = [];
  let [oldAt, newAt, isOpen] = [head, head, false];
  for (const { added, removed, value } of parts) {
    const { length } = value;
    if (!added && !removed) {
      oldAt += length;
      newAt += length;
      isOpen = false;
      continue;
    }
    const last = isOpen ? blocks.pop()! : { oldFrom: oldAt, oldTo: oldAt, newFrom: newAt, newTo: newAt };
    if (removed) oldAt += length;
    else newAt += length;
    blocks.push({ ...last, oldTo: oldAt, newTo: newAt });
    isOpen = true;
  }
  return slid(blocks, old, now);
}

/** Lines that are only added, or only removed, may stand at several places: as far down as they can, as in git. */
function slid(blocks: readonly Block[], old: readonly string[], now: readonly string[]): Block[] {
  const result: Block[] = [];
  for (const [at, block] of blocks.entries()) {
    let { oldFrom, oldTo, newFrom, newTo } = block;
    const next = blocks[at + 1];
    const isAdded = oldFrom === oldTo;
    if (isAdded || newFrom === newTo) {
      const lines = isAdded ? now : old;
      const end = isAdded ? (next?.newFrom ?? now.length) : (next?.oldFrom ?? old.length);
      const room = end - (isAdded ? newTo : oldTo) - (next ? 1 : 0);
      const [from, to] = isAdded ? [newFrom, newTo] : [oldFrom, oldTo];
      let step = 0;
      while (step < room && lines[from + step] === lines[to + step]) step++;
      [oldFrom, oldTo, newFrom, newTo] = [oldFrom + step, oldTo + step, newFrom + step, newTo + step];
    }
    result.push({ oldFrom, oldTo, newFrom, newTo });
  }
  return result;
}
