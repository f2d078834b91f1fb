import { type Blob, blobId, isLink } from "../objects.ts";
import { quotedPath } from "../quote.ts";
import { isBinary, literal } from "./binary.ts";
import { hunks } from "./hunks.ts";
import { linesOf } from "./lines.ts";
import type { ShownChange } from "./renames.ts";

export interface PatchOptions {
  /** Whether the bytes of files that are no text are written out. */
  readonly binary: boolean;
  /** Lines around a change. */
  readonly context: number;
  readonly fullIndex: boolean;
  /** Before the two paths. @default "a/" and "b/" */
  readonly prefixes?: readonly [string, string];
}

const NO_ID = "0".repeat(40);

/** What changed, as a patch of which `git apply` makes the new files of the old. A text of bytes. */
export function patchText(changes: readonly ShownChange[], options: PatchOptions): string {
  return changes
    .flatMap((change) => {
      const { path, old, now } = change;
      if (!old || !now || isLink(old) === isLink(now)) return [change];
      return [
        { path, old },
        { path, now },
      ];
    })
    .map((change) => filePatch(change, options))
    .join("");
}

function filePatch({ path, from = path, isOther, old, now }: ShownChange, options: PatchOptions): string {
  const [a, b] = options.prefixes ?? ["a/", "b/"];
  const [oldName, newName] = [bytes(quotedPath(from, a)), bytes(quotedPath(path, b))];
  let text = `diff --git ${oldName} ${newName}\n`;
  if (!old) text += `new file mode ${now!.mode}\n`;
  else if (!now) text += `deleted file mode ${old.mode}\n`;
  else if (old.mode !== now.mode) text += `old mode ${old.mode}\nnew mode ${now.mode}\n`;
  if (from !== path && !isOther) {
    text += `similarity index 100%\nrename from ${bytes(quotedPath(from))}\nrename to ${bytes(quotedPath(path))}\n`;
  }
  const [oldId, newId] = [old ? blobId(old.content) : NO_ID, now ? blobId(now.content) : NO_ID];
  if (oldId === newId) return text;
  const isNoText = [old, now].some((blob) => blob && isBinary(blob.content));
  const length = options.fullIndex || (isNoText && options.binary) ? 40 : 7;
  const mode = old && now && old.mode === now.mode ? ` ${old.mode}` : "";
  text += `index ${oldId.slice(0, length)}..${newId.slice(0, length)}${mode}\n`;
  const [oldSide, newSide] = [old ? oldName : "/dev/null", now ? newName : "/dev/null"];
  if (isNoText && options.binary)
    return `${text}GIT binary patch\n${literal(contentOf(now))}${literal(contentOf(old))}`;
  if (isNoText) return `${text}Binary files ${oldSide} and ${newSide} differ\n`;
  const body = hunks(linesOf(contentOf(old)), linesOf(contentOf(now)), options.context);
  return body === "" ? text : `${text}--- ${named(oldSide)}\n+++ ${named(newSide)}\n${body}`;
}

function contentOf(blob: Blob | undefined): Uint8Array {
  return blob?.content ?? new Uint8Array();
}

/** A name with a space in it has a tab behind it, so that one can tell where it ends. */
function named(name: string): string {
  return name.includes(" ") && !name.startsWith('"') ? `${name}\t` : name;
}

function bytes(text: string): string {
  return Buffer.from(text).toString("latin1");
}
