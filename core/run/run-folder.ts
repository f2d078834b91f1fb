import { access, mkdir, open, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { InputError, messageOf } from "../errors.ts";
import { canonicalJson, type Json, type JsonObject } from "../json.ts";
import { type JsonLine, JsonlLog } from "./jsonl.ts";
import { lock } from "./lock.ts";
import { currentVersions, type Versions } from "./versions.ts";

/** Raised when older folders can no longer be read. */
export const RUN_FORMAT = 1;

/** `run.json`: all that decides what a run computes. */
export interface Manifest {
  /** What the run is, for example `rollout`. */
  readonly kind: string;
  /** Everything that decides the result: seed, strategy, policy, task set with its digest. */
  readonly config: JsonObject;
}

/** A manifest as `run.json` has it. */
export interface FoundManifest extends Manifest {
  /** What the run was begun with; missing in a folder of before versions were written down. */
  readonly versions?: Versions;
}

/**
 * A run on disk: `run.json` and append-only JSONL files beside it. Killing the process at any point loses only
 * what was under way; opening the folder again with the same manifest goes on.
 */
export class RunFolder {
  readonly path: string;
  /** True if the folder held this run already. */
  readonly resumed: boolean;
  /** In words: what a crash left behind and was taken off, and that another version of forkgym began the run. */
  readonly notes: string[] = [];
  readonly #unlock: () => Promise<void>;
  readonly #logs: JsonlLog[] = [];

  private constructor(path: string, resumed: boolean, unlock: () => Promise<void>) {
    this.path = path;
    this.resumed = resumed;
    this.#unlock = unlock;
  }

  /**
   * Makes the folder, or opens the same run in it.
   * @throws {InputError} if it holds another run (the first difference is named), is of another format, was
   * damaged, or is in use. Nothing in it is changed then.
   */
  static async open(path: string, manifest: Manifest): Promise<RunFolder> {
    await mkdir(path, { recursive: true });
    const unlock = await lock(join(path, "run.lock"));
    try {
      const found = await readManifest(path).catch((error: unknown) => {
        if (error instanceof MissingRun) return undefined;
        throw error;
      });
      if (found === undefined) await writeManifest(path, manifest);
      else sameRun(path, found, manifest);
      const folder = new RunFolder(path, found !== undefined, unlock);
      folder.notes.push(...versionNotes(found?.versions));
      return folder;
    } catch (error) {
      await unlock();
      throw error;
    }
  }

  /** Opens a JSONL file of the run; lines from before are handed to `onLine`. Closed with the folder. */
  async log(name: string, onLine: (line: JsonLine) => void = () => {}): Promise<JsonlLog> {
    const { log, dropped } = await JsonlLog.open(join(this.path, name), onLine);
    if (dropped > 0) this.notes.push(`${name}: dropped ${dropped} bytes of a last line that was cut off`);
    this.#logs.push(log);
    return log;
  }

  async close(): Promise<void> {
    for (const log of this.#logs) await log.close();
    await this.#unlock();
  }
}

/** Replaces a file in one go: a reader sees the old text or the new one. */
export async function writeWhole(path: string, text: string): Promise<void> {
  const file = await open(`${path}.tmp`, "w");
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.tmp`, path);
}

/** There is no run in the folder. */
export class MissingRun extends InputError {}

/**
 * Reads `run.json`.
 * @throws {MissingRun} if there is none.
 * @throws {InputError} if it does not parse or is of another format.
 */
export async function readManifest(path: string): Promise<FoundManifest> {
  const file = join(path, "run.json");
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT" && error.code !== "ENOTDIR") throw error;
    throw new MissingRun(`run folder: ${path} holds no run.json; is it a run folder?`);
  });
  let value: { readonly [field in "format" | "kind" | "config" | "versions"]?: unknown };
  try {
    value = JSON.parse(text) as typeof value;
  } catch (error) {
    throw new InputError(`run folder: ${file} is not JSON (${messageOf(error)}); it was changed by hand`);
  }
  if (value?.format !== RUN_FORMAT) {
    throw new InputError(
      `run folder: ${file} has format ${String(value?.format)}, this version reads format ${RUN_FORMAT}; ` +
        "choose another folder, or the version of forkgym that wrote it",
    );
  }
  if (typeof value.kind !== "string" || typeof value.config !== "object" || value.config === null) {
    throw new InputError(`run folder: ${file} lacks \`kind\` or \`config\`; it was changed by hand`);
  }
  const versions = value.versions as Versions | undefined;
  return { kind: value.kind, config: value.config as JsonObject, ...(versions && { versions }) };
}

async function writeManifest(path: string, manifest: Manifest): Promise<void> {
  const strays = ["trees.jsonl", "cells.jsonl", "updates.jsonl"];
  for (const name of strays) {
    const there = await access(join(path, name)).then(
      () => true,
      () => false,
    );
    if (!there) continue;
    throw new InputError(`run folder: ${path} holds ${name} but no run.json; choose another folder`);
  }
  await writeWhole(
    join(path, "run.json"),
    `${JSON.stringify({ format: RUN_FORMAT, versions: currentVersions(), ...manifest }, null, 2)}\n`,
  );
}

function versionNotes(before: Versions | undefined): string[] {
  const { forkgym } = currentVersions();
  if (before?.forkgym === undefined || before.forkgym === forkgym) return [];
  return [
    `run.json: begun with forkgym ${before.forkgym}, goes on with ${forkgym}; what they find may differ`,
  ];
}

function sameRun(path: string, found: Manifest, wanted: Manifest): void {
  const before = { kind: found.kind, ...found.config };
  const difference = firstDifference(
    before,
    JSON.parse(JSON.stringify({ kind: wanted.kind, ...wanted.config })),
    "",
  );
  if (difference === undefined) return;
  throw new InputError(
    `run folder: ${path} holds another run: ${difference}; choose another folder, or the same options as before`,
  );
}

function firstDifference(before: Json | undefined, now: Json | undefined, name: string): string | undefined {
  if (canonicalJson(before ?? null) === canonicalJson(now ?? null)) return undefined;
  if (isObject(before) && isObject(now)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(now)])) {
      const inner = firstDifference(before[key], now[key], name === "" ? key : `${name}.${key}`);
      if (inner !== undefined) return inner;
    }
  }
  return `\`${name}\` was ${JSON.stringify(before) ?? "absent"}, now ${JSON.stringify(now) ?? "absent"}`;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
