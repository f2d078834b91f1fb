import { linesOf } from "../diff/lines.ts";
import { type Blob, blobId, type Mode } from "../objects.ts";
import { contentOf, type HunkResult, putBinary, putHunks } from "./patch-content.ts";
import { BadPatch, type FilePatch, type Hunk } from "./patch-file.ts";

export interface ApplyOptions {
  /** Whether what fits is done although something does not. */
  readonly reject: boolean;
  readonly verbose: boolean;
  /** Whether hunks without context are taken at their word. */
  readonly zeroContext: boolean;
}

/** What a patch comes to for one file: nothing is written yet. */
export interface Outcome {
  readonly patch: FilePatch;
  /** Path to what is to be there; undefined if nothing is. */
  readonly writes: readonly (readonly [string, Blob | undefined])[];
  readonly rejected: readonly Hunk[];
}

export interface ApplyWorld {
  /** What is at a path, links themselves. */
  find(path: string): Blob | undefined;
  isFolder(path: string): boolean;
  /** Why nothing is found at a path. */
  missing(path: string): string;
  isBeyondLink(path: string): boolean;
  /** Why nothing can be put at a path. */
  readonly inTheWay: string;
  say(line: string): void;
}

/**
 * Works out what a patch does, in the words of `git apply`: one file after the other, each seeing what those before
 * it did. @returns undefined if it cannot be done.
 */
export function apply(
  patches: readonly FilePatch[],
  world: ApplyWorld,
  options: ApplyOptions,
): readonly Outcome[] | undefined {
  const changed = new Map<string, Blob | undefined>();
  const find = (path: string): Blob | undefined => (changed.has(path) ? changed.get(path) : world.find(path));
  const outcomes: Outcome[] = [];
  let failed = false;
  // Renames may go round in a circle: what a file is renamed from is not in the way of another.
  const leaving = new Set(patches.flatMap(({ old, now }) => (old !== undefined && old !== now ? [old] : [])));
  for (const patch of patches) {
    if (options.verbose) world.say(`Checking patch ${nameOf(patch)}...`);
    const outcome = one(patch, { ...world, find }, options, leaving);
    if (outcome) {
      for (const [path, blob] of outcome.writes) changed.set(path, blob);
      outcomes.push(outcome);
    } else failed = true;
  }
  return failed && !options.reject ? undefined : outcomes.length > 0 || !failed ? outcomes : undefined;
}

/** `old => new` if the file is renamed. */
export function nameOf({ old, now }: FilePatch): string {
  return old !== undefined && now !== undefined && old !== now ? `${old} => ${now}` : (now ?? old)!;
}

function one(
  patch: FilePatch,
  world: ApplyWorld,
  options: ApplyOptions,
  leaving: ReadonlySet<string>,
): Outcome | undefined {
  const { old, now, newMode, oldMode } = patch;
  const fail = (text: string): undefined => world.say(`error: ${text}`) as undefined;
  const name = (old ?? now)!;
  const bad = [old, now].find((path) => path !== undefined && isUnsafe(path));
  if (bad !== undefined) throw new BadPatch(`invalid path '${bad}'`);
  const before = old === undefined ? undefined : world.find(old);
  if (old !== undefined && !before)
    return fail(`${old}: ${world.isFolder(old) ? "wrong type" : world.missing(old)}`);
  if (before && oldMode !== undefined) {
    if (before.mode.slice(0, 3) !== oldMode.slice(0, 3)) return fail(`${old}: wrong type`);
    if (before.mode !== oldMode) world.say(`warning: ${old} has type ${before.mode}, expected ${oldMode}`);
  }
  if (now !== undefined && now !== old && world.find(now) && !leaving.has(now)) {
    return fail(`${now}: ${world.inTheWay}`);
  }
  const isLinkGoing = [...leaving].some((path) => now?.startsWith(`${path}/`));
  if (now !== undefined && world.isBeyondLink(now) && !isLinkGoing) {
    return fail(`affected file '${now}' is beyond a symbolic link`);
  }
  const content = before?.content ?? new Uint8Array();
  const result = patch.binary ? binary(patch, content, fail) : text(patch, content, world, options);
  if (!result) return fail(`${name}: patch does not apply`);
  if (now === undefined && result.content.length > 0 && result.rejected.length === 0) {
    fail("removal patch leaves file contents");
    return fail(`${name}: patch does not apply`);
  }
  const mode = (newMode ?? before?.mode ?? "100644") as Mode;
  const writes: [string, Blob | undefined][] = [];
  if (old !== undefined && old !== now && !patch.isCopy) writes.push([old, undefined]);
  const isLeft = now === undefined && result.rejected.length > 0;
  if (isLeft) writes.splice(0, 1, [old!, { kind: "blob", mode: before!.mode, content: result.content }]);
  // Nothing changed but perhaps the mode: the very bytes stay.
  const kept = patch.hunks.length === 0 && !patch.binary ? content : result.content;
  if (now !== undefined) writes.push([now, { kind: "blob", mode, content: kept }]);
  return { patch, writes, rejected: result.rejected };
}

interface Patched {
  readonly content: Uint8Array;
  readonly rejected: readonly Hunk[];
}

function binary(
  patch: FilePatch,
  content: Uint8Array,
  fail: (text: string) => undefined,
): Patched | undefined {
  const name = (patch.old ?? patch.now)!;
  const [oldId = "", newId = ""] = patch.ids ?? [];
  if (patch.binary === "missing" || oldId.length !== 40 || newId.length !== 40) {
    return fail(`cannot apply binary patch to '${name}' without full index line`);
  }
  if (patch.old !== undefined && blobId(content) !== oldId) {
    return fail(
      `the patch applies to '${name}' (${blobId(content)}), which does not match the current contents.`,
    );
  }
  if (/^0+$/.test(newId)) return { content: new Uint8Array(), rejected: [] };
  const result = putBinary(content, patch.binary![0]);
  if (!result) return fail(`binary patch does not apply to '${name}'`);
  const made = new Uint8Array(result);
  if (blobId(made) === newId) return { content: made, rejected: [] };
  return fail(`binary patch to '${name}' creates incorrect result (expecting ${newId}, got ${blobId(made)})`);
}

function text(
  patch: FilePatch,
  content: Uint8Array,
  world: ApplyWorld,
  { reject, verbose, zeroContext }: ApplyOptions,
): Patched | undefined {
  const { lines, results } = putHunks(linesOf(content), patch.hunks, zeroContext);
  const rejected: Hunk[] = [];
  for (const [at, result] of results.entries()) {
    if (verbose) sayWhere(result, at + 1, world);
    if (result.offset !== undefined) continue;
    const { oldStart, lines: signed } = result.hunk;
    const before = signed.filter((line) => line[0] !== "+").map((line) => line.slice(1));
    if (verbose) world.say(`error: while searching for:\n${decoded(before.join(""))}`);
    world.say(`error: patch failed: ${patch.old ?? patch.now}:${oldStart}`);
    if (!reject) return undefined;
    rejected.push(result.hunk);
  }
  return { content: contentOf(lines), rejected };
}

function sayWhere({ offset, line }: HunkResult, number: number, world: ApplyWorld): void {
  if (!offset) return;
  world.say(`Hunk #${number} succeeded at ${line} (offset ${offset} line${offset === 1 ? "" : "s"}).`);
}

function decoded(bytes: string): string {
  return Buffer.from(bytes, "latin1").toString();
}

function isUnsafe(path: string): boolean {
  return (
    path.startsWith("/") ||
    path.split("/").some((name) => name === ".." || name === "." || name.toLowerCase() === ".git")
  );
}
