import { InputError } from "../../../core/errors.ts";
import { HUNK, patchLines } from "./patch-walk.ts";

/**
 * The patch that undoes a patch, as `git diff -R` writes it: SWE-smith's rows hold the bug, and the fix is its reverse.
 * @throws {InputError} for a binary patch, which holds only the bytes of one side.
 */
export function reversePatch(patch: string): string {
  const out: string[] = [];
  let section: string[] = [];
  let hunk: string[] = [];
  const endHunk = () => {
    out.push(...reversedLines(hunk));
    hunk = [];
  };
  const endSection = () => {
    out.push(...reversedHeader(section));
    section = [];
  };
  for (const { kind, text } of patchLines(patch)) {
    if (kind === "body") {
      hunk.push(text);
      continue;
    }
    endHunk();
    if (kind === "header") {
      if (text.startsWith("diff --git ")) endSection();
      section.push(text);
      continue;
    }
    endSection();
    const [, before, after, rest] = HUNK.exec(text)!;
    out.push(`@@ -${after} +${before} @@${rest}`);
  }
  endHunk();
  endSection();
  return out.length === 0 ? "" : `${out.join("\n")}\n`;
}

/** Added lines removed, removed lines added, and the removed ones first, each with its note on a missing newline. */
function reversedLines(lines: readonly string[]): readonly string[] {
  const out: string[] = [];
  let removed: string[] = [];
  let added: string[] = [];
  let last = out;
  const flush = () => {
    out.push(...removed, ...added);
    removed = [];
    added = [];
  };
  for (const line of lines) {
    if (line.startsWith("+")) {
      last = removed;
      last.push(`-${line.slice(1)}`);
    } else if (line.startsWith("-")) {
      last = added;
      last.push(`+${line.slice(1)}`);
    } else {
      if (!line.startsWith("\\")) {
        flush();
        last = out;
      }
      last.push(line);
    }
  }
  flush();
  return out;
}

const PAIRS: readonly (readonly [string, string])[] = [
  ["old mode ", "new mode "],
  ["rename from ", "rename to "],
  ["--- ", "+++ "],
];

function reversedHeader(lines: readonly string[]): readonly string[] {
  const out = [...lines];
  for (const [before, after] of PAIRS) {
    const at = out.findIndex((line) => line.startsWith(before));
    const to = out.findIndex((line) => line.startsWith(after));
    if (at < 0 || to < 0) continue;
    const [old, fresh] = [out[at]!.slice(before.length), out[to]!.slice(after.length)];
    out[at] = before + fresh.replace(/^("?)b\//, "$1a/");
    out[to] = after + old.replace(/^("?)a\//, "$1b/");
  }
  const renamed = out.find((line) => line.startsWith("rename from "));
  return out.map((line) => {
    if (/^(GIT binary patch|Binary files )/.test(line))
      throw new InputError("patch: a binary patch cannot be reversed; give the fix as a patch of its own");
    if (line.startsWith("copy from "))
      throw new InputError("patch: a copy cannot be reversed; give the fix as a patch of its own");
    if (line.startsWith("new file mode ")) return line.replace("new file", "deleted file");
    if (line.startsWith("deleted file mode ")) return line.replace("deleted file", "new file");
    if (renamed !== undefined && line.startsWith("diff --git ")) return gitLine(out);
    return line.replace(/^index ([0-9a-f]+)\.\.([0-9a-f]+)/, "index $2..$1");
  });
}

function gitLine(header: readonly string[]): string {
  const name = (start: string) => header.find((line) => line.startsWith(start))!.slice(start.length);
  return `diff --git ${prefixed("a/", name("rename from "))} ${prefixed("b/", name("rename to "))}`;
}

function prefixed(prefix: string, name: string): string {
  return name.startsWith('"') ? `"${prefix}${name.slice(1)}` : prefix + name;
}
