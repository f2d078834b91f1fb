import { unquoted } from "../quote.ts";
import { HUNK_HEAD, PatchLines, parseBinary, parseHunks } from "./parse-hunks.ts";
import { BadPatch, type FilePatch } from "./patch-file.ts";

/**
 * The files of a patch: git's own form and plain `---`/`+++`; all between them is left out.
 *
 * @param strip how many folders are taken off the front of each name
 * @throws {BadPatch}
 */
export function parsePatch(lines: readonly string[], strip: number): FilePatch[] {
  const input = new PatchLines(lines);
  const patches: FilePatch[] = [];
  let from = 0;
  while (input.next !== undefined) {
    const start = input.at;
    const patch = input.next.startsWith("diff --git ") ? gitPatch(input, strip) : plainPatch(input, strip);
    if (!patch) {
      if (HUNK_HEAD.test(input.next)) {
        throw new BadPatch(`patch fragment without header at line ${start + 1}: ${input.text}`);
      }
      input.at++;
      continue;
    }
    patches.push({ ...patch, head: lines.slice(from, input.at).join("").split(/^@@ /m)[0]! });
    from = input.at;
  }
  return patches;
}

type Parsed = Omit<FilePatch, "head">;

function gitPatch(input: PatchLines, strip: number): Parsed | undefined {
  const start = input.at;
  const both = bothNames(input.text.slice("diff --git ".length), strip);
  let old = both;
  let now = both;
  let oldMode: string | undefined;
  let newMode: string | undefined;
  let ids: FilePatch["ids"];
  let [isNew, isGone, isRename, isCopy, hasMore] = [false, false, false, false, false];
  input.at++;
  for (; input.next !== undefined; input.at++) {
    const [, word = "", value = ""] =
      /^(old mode|new mode|deleted file mode|new file mode|copy from|copy to|rename from|rename old|rename to|rename new|similarity index|dissimilarity index|index|---|\+\+\+) (.*)$/s.exec(
        input.text,
      ) ?? [];
    if (word === "") break;
    hasMore = true;
    const given = (): string => unquoted(value)?.path ?? Buffer.from(value, "latin1").toString();
    const sided = (): string | undefined => nameOf(value, strip);
    if (word === "old mode") oldMode = value;
    else if (word === "new mode") newMode = value;
    else if (word === "deleted file mode") [isGone, oldMode] = [true, value];
    else if (word === "new file mode") [isNew, newMode] = [true, value];
    else if (/^(copy|rename) (from|old)/.test(word)) old = withoutFirst(given(), strip - 1);
    else if (/^(copy|rename) (to|new)/.test(word)) now = withoutFirst(given(), strip - 1);
    else if (word === "index") {
      const [, one, other, mode] = /^([0-9a-f]+)\.\.([0-9a-f]+)(?: (\d{6}))?$/.exec(value) ?? [];
      oldMode ??= mode;
      if (one !== undefined && other !== undefined) ids = [one, other];
    } else if (word === "---") old = sided() ?? (isNew ? undefined : old);
    else if (word === "+++") now = sided() ?? (isGone ? undefined : now);
    if (word.startsWith("rename")) isRename = true;
    if (word.startsWith("copy")) isCopy = true;
  }
  let binary: FilePatch["binary"];
  if (/^GIT binary patch$/.test(input.text)) {
    input.at++;
    binary = parseBinary(input);
  } else if (/^(Binary files .* differ|Files .* differ)$/.test(input.text)) {
    binary = "missing";
    input.at++;
  }
  const line = input.at + 1;
  const hunks = binary ? [] : parseHunks(input);
  if (!hasMore && hunks.length === 0 && !binary) return undefined;
  if ((isNew ? now : old) === undefined && (isGone ? old : now) === undefined) {
    throw new BadPatch(
      `git diff header lacks filename information when removing ${strip} leading pathname component${strip === 1 ? "" : "s"} (line ${start + 2})`,
    );
  }
  return {
    old: isNew ? undefined : old,
    now: isGone ? undefined : now,
    oldMode,
    newMode,
    isCopy,
    isRename,
    isGit: true,
    line,
    hunks,
    ...(binary && { binary }),
    ...(ids && { ids }),
  };
}

function plainPatch(input: PatchLines, strip: number): Parsed | undefined {
  const [first = "", second = "", third = ""] = input.lines.slice(input.at, input.at + 3);
  if (!first.startsWith("--- ") || !second.startsWith("+++ ") || !HUNK_HEAD.test(third)) return undefined;
  const [oldText, newText] = [first.slice(4).replace(/\r?\n$/, ""), second.slice(4).replace(/\r?\n$/, "")];
  const [old, now] = [nameOf(oldText, strip), nameOf(newText, strip)];
  if (old === undefined && now === undefined) {
    throw new BadPatch(`unable to find filename in patch at line ${input.at + 1}`);
  }
  input.at += 2;
  const line = input.at + 1;
  const hunks = parseHunks(input);
  const isNew = isNothing(oldText);
  const isGone = isNothing(newText);
  const one = now !== undefined && (old === undefined || now.length <= old.length) ? now : old;
  return {
    old: isNew ? undefined : isGone ? old : one,
    now: isGone ? undefined : isNew ? now : one,
    line,
    hunks,
  };
}

/** No file, or one that has the date of no file. */
function isNothing(text: string): boolean {
  return /^\/dev\/null\b/.test(text) || /\t(1970-01-01|1969-12-31) \d\d:00:00(\.0+)? [+-]\d{4}$/.test(text);
}

/** The name of a `---` or `+++` line; undefined for `/dev/null`, and if nothing is left of it. */
function nameOf(text: string, strip: number): string | undefined {
  const quoted = unquoted(text);
  const name = quoted?.path ?? Buffer.from(text.replace(/\t.*$/s, ""), "latin1").toString();
  return name === "/dev/null" ? undefined : withoutFirst(name, strip);
}

function withoutFirst(name: string, count: number): string | undefined {
  const parts = name.split(/\/+/);
  return parts.length > count ? parts.slice(Math.max(0, count)).join("/") || undefined : undefined;
}

/** The name that both sides of `a/x b/x` have; there may be spaces in it. */
function bothNames(text: string, strip: number): string | undefined {
  const decode = (name: string): string => unquoted(name)?.path ?? Buffer.from(name, "latin1").toString();
  const first = unquoted(text);
  const splits = first ? [first.length] : [...text.matchAll(/ /g)].map((match) => match.index);
  for (const at of splits) {
    const [one, other] = [decode(text.slice(0, at)), decode(text.slice(at + 1))];
    const name = withoutFirst(one, strip);
    if (name !== undefined && name === withoutFirst(other, strip)) return name;
  }
  return undefined;
}
