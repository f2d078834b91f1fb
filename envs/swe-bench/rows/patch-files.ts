import { patchLines } from "./patch-walk.ts";

/** A file that a patch touches: null before it if the patch makes it, null after it if the patch takes it away. */
export interface PatchedFile {
  readonly before: string | null;
  readonly after: string | null;
}

/** The files of a unified diff in its order; renamed ones have two names, copied ones none before. */
export function patchedFiles(patch: string): readonly PatchedFile[] {
  const files: { before: string | null; after: string | null }[] = [];
  let fromGit = false;
  for (const { kind, text } of patchLines(patch)) {
    if (kind !== "header") continue;
    const line = text.replace(/\r$/, "");
    const file = files.at(-1);
    const names = gitNames(line);
    if (names !== undefined) {
      files.push(names);
      fromGit = true;
    } else if (line.startsWith("--- ")) {
      const before = named(line);
      // Plain diffs have no `diff --git` line: here a new file starts.
      if (fromGit && file !== undefined) file.before = before;
      else files.push({ before, after: before });
    } else if (file === undefined) {
    } else if (line.startsWith("+++ ")) {
      file.after = named(line);
      fromGit = false;
    } else if (line.startsWith("new file mode") || line.startsWith("copy from ")) file.before = null;
    else if (line.startsWith("deleted file mode")) file.after = null;
    else if (line.startsWith("rename from ")) file.before = unquoted(line.slice("rename from ".length));
    else if (line.startsWith("rename to ")) file.after = unquoted(line.slice("rename to ".length));
    else if (line.startsWith("copy to ")) file.after = unquoted(line.slice("copy to ".length));
  }
  return files;
}

/** The names of a `diff --git` line. Where they differ, later lines say them again, so that a wrong cut mends. */
function gitNames(line: string): { before: string; after: string } | undefined {
  const quoted = /^diff --git ("(?:[^"\\]|\\.)*"|\S+) ("(?:[^"\\]|\\.)*"|\S+)$/.exec(line);
  const found = quoted ?? /^diff --git (a\/.*) (b\/.*)$/.exec(line);
  if (found === null) return undefined;
  return { before: unquoted(found[1]!).replace(/^a\//, ""), after: unquoted(found[2]!).replace(/^b\//, "") };
}

/** The name on a `---` or `+++` line. A tab after it, or a date after the tab, is not part of it. */
function named(line: string): string | null {
  const name = unquoted(line.slice(4).split("\t")[0]!);
  return name === "/dev/null" ? null : name.replace(/^[ab]\//, "");
}

const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, f: 12, n: 10, r: 13, t: 9, v: 11 };

/** A name that git has put in quotes, with bytes as octal numbers, as it is. */
function unquoted(name: string): string {
  if (!/^".*"$/.test(name)) return name;
  const bytes: Buffer[] = [];
  for (const [part, octal, letter] of name.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|[^\\]+/g)) {
    if (octal !== undefined) bytes.push(Buffer.of(Number.parseInt(octal, 8)));
    else if (letter !== undefined) bytes.push(Buffer.from([ESCAPES[letter] ?? letter.charCodeAt(0)]));
    else bytes.push(Buffer.from(part));
  }
  return Buffer.concat(bytes).toString("utf8");
}
