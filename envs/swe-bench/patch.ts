import { FileError, SandboxError } from "../../core/errors.ts";
import type { ExecResult, Sandbox } from "../../core/sandbox/sandbox.ts";
import { toolStarved } from "./grading/infra.ts";
import { REPOSITORY } from "./workspaces/workspaces.ts";

/** A patch may be so long; what is longer is no patch that anybody meant. */
export const PATCH_BYTES: number = 8 * 2 ** 20;

const TIMEOUT_MS = 300_000;
const ATTRIBUTES = "/tmp/forkgym-attributes";
const INDEX = "/tmp/forkgym-index";
/** Whatever the agent has configured, the patch has git's plain form. */
const PLAIN =
  "git -c core.quotepath=true -c core.autocrlf=false -c core.fileMode=true -c diff.noprefix=false " +
  "-c diff.mnemonicPrefix=false -c diff.suppressBlankEmpty=false -c color.ui=false";
const FLAGS = "--cached --binary --no-color --no-ext-diff --no-textconv --src-prefix=a/ --dst-prefix=b/";
const STATUS = `${PLAIN} -c diff.ignoreSubmodules=dirty status --porcelain --untracked-files=normal`;
/** What git says of a repository without a commit inside the repository; such a one it adds neither as files nor as one. */
const NESTED = /^error: (?:'.*' does not have a commit checked out|unable to index file .*)$/;

/**
 * What the agent's work is compared with, taken before it begins: the commit that is checked out, or, where an image
 * starts with changes or files that are not committed, the tree of what is there (`refs/forkgym/start` keeps it).
 * @throws {SandboxError} if git cannot say.
 */
export async function baseOf(sandbox: Sandbox): Promise<string> {
  const [head, ...changes] = lines(await must(sandbox, `git rev-parse HEAD && ${STATUS}`));
  if (changes.length === 0) return head!;
  const env = { GIT_INDEX_FILE: INDEX };
  await must(sandbox, `cp "$(git rev-parse --git-path index)" ${INDEX}`);
  const failure = await stage(sandbox, env);
  if (failure !== undefined) throw failed("git add", failure);
  const [tree, committed] = lines(await must(sandbox, "git write-tree && git rev-parse 'HEAD^{tree}'", env));
  await must(sandbox, `rm -f ${INDEX}`);
  if (tree === committed) return head!;
  await must(sandbox, `git update-ref refs/forkgym/start ${tree}`);
  return tree!;
}

/**
 * Everything that was changed since `base`, committed or not, new files included, ignored ones and repositories
 * without a commit not; "" if nothing. Line ends, a missing final newline, modes and binary files are kept. A text that
 * is not UTF-8 comes as binary. Stages the changes in the sandbox.
 * @returns undefined if it is longer than {@link PATCH_BYTES}, or if the agent left no repository to ask.
 * @throws {SandboxError} if git was killed, took over 300 s, or had no disk or memory left: that says nothing of the work.
 */
export async function takePatch(sandbox: Sandbox, base: string): Promise<string | undefined> {
  try {
    return await patchOf(sandbox, base);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    // The agent removed the very folder.
    return undefined;
  }
}

async function patchOf(sandbox: Sandbox, base: string): Promise<string | undefined> {
  if ((await stage(sandbox, {})) !== undefined) return undefined;
  const plain = await run(sandbox, `${PLAIN} diff ${FLAGS} ${base} --`);
  if (plain.exitCode !== 0) return undefined;
  const text = textOf(plain.stdout.bytes);
  if (text !== undefined) return plain.stdout.omittedBytes > 0 || isTooLong(text) ? undefined : text;
  await sandbox.writeFile(ATTRIBUTES, "* -diff\n").catch((error: unknown) => {
    throw error instanceof FileError ? new SandboxError(error.message, { cause: error }) : error;
  });
  const again = await run(sandbox, `${PLAIN} -c core.attributesFile=${ATTRIBUTES} diff ${FLAGS} ${base} --`);
  const { omittedBytes, text: safe } = again.stdout;
  return again.exitCode !== 0 || omittedBytes > 0 || isTooLong(safe) ? undefined : safe;
}

/** Whether a patch is longer than {@link PATCH_BYTES}. */
export const isTooLong = (text: string): boolean => Buffer.byteLength(text) > PATCH_BYTES;

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Adds all that git may add; what git said if it could not. */
async function stage(
  sandbox: Sandbox,
  env: Readonly<Record<string, string>>,
): Promise<ExecResult | undefined> {
  const add = `${PLAIN} add -A`;
  const all = await run(sandbox, `rm -f .git/index.lock; ${add}`, env);
  if (all.exitCode === 0) return undefined;
  const complaints = ({ stderr }: ExecResult) =>
    lines(stderr.text).filter((line) => line.startsWith("error:"));
  if (!complaints(all).some((line) => NESTED.test(line))) return all;
  const others = await run(sandbox, `${add} --ignore-errors`, env);
  const isDone = others.exitCode <= 1 && complaints(others).every((line) => NESTED.test(line));
  return isDone ? undefined : others;
}

/** @throws {SandboxError} where what failed is the sandbox. @throws {FileError} where there is no repository. */
async function run(
  sandbox: Sandbox,
  script: string,
  env: Readonly<Record<string, string>> = {},
): Promise<ExecResult> {
  const result = await sandbox.exec(script, {
    cwd: REPOSITORY,
    env: { LC_ALL: "C", ...env },
    timeoutMs: TIMEOUT_MS,
    outputBytes: 2 * PATCH_BYTES,
  });
  const { exitCode, timedOut, stderr } = result;
  if (timedOut)
    throw new SandboxError(`swe-bench: \`${shown(script)}\` took longer than ${TIMEOUT_MS / 1000} s`);
  if (exitCode > 128 || (exitCode !== 0 && toolStarved(stderr.text))) throw failed(script, result);
  return result;
}

async function must(
  sandbox: Sandbox,
  script: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const result = await run(sandbox, script, env);
  if (result.exitCode !== 0) throw failed(script, result);
  return result.stdout.text;
}

function failed(script: string, { exitCode, stderr }: ExecResult): SandboxError {
  const why = stderr.text.trim() || `exit code ${exitCode}`;
  return new SandboxError(`swe-bench: \`${shown(script)}\` failed in the sandbox: ${why}`);
}

const shown = (script: string): string => script.replaceAll(PLAIN, "git");

function lines(text: string): string[] {
  return text.split("\n").filter((line) => line.trim() !== "");
}
