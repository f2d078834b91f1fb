import { SandboxError } from "../../core/errors.ts";
import type { ExecOptions, Sandbox } from "../../core/sandbox/sandbox.ts";
import { REPOSITORY } from "./workspaces/workspaces.ts";

/** A patch may be so long; what is longer is no patch that anybody meant. */
export const PATCH_BYTES: number = 8 * 2 ** 20;

const ATTRIBUTES = "/tmp/forkgym-attributes";
/** Whatever the agent has configured, the patch has git's plain form. */
const PLAIN =
  "git -c core.quotepath=true -c core.autocrlf=false -c core.fileMode=true -c diff.noprefix=false " +
  "-c diff.mnemonicPrefix=false -c diff.suppressBlankEmpty=false -c color.ui=false";
const FLAGS = "--cached --binary --no-color --no-ext-diff --no-textconv --src-prefix=a/ --dst-prefix=b/";

/** The commit that the agent's work is compared with, taken before it begins. */
export async function baseOf(sandbox: Sandbox): Promise<string> {
  return (await git(sandbox, "git rev-parse HEAD")).text.trim();
}

/**
 * Everything that was changed since `base`, committed or not, new files included, ignored ones not; "" if nothing.
 * Line ends, a missing final newline, modes and binary files are kept. A text that is not UTF-8 comes as binary.
 * Stages the changes in the sandbox.
 * @returns undefined if it is longer than {@link PATCH_BYTES}, or if the agent left no repository to ask.
 */
export async function takePatch(sandbox: Sandbox, base: string): Promise<string | undefined> {
  const options = { outputBytes: 2 * PATCH_BYTES };
  const staged = await sandbox.exec(`rm -f .git/index.lock; ${PLAIN} add -A`, {
    cwd: REPOSITORY,
    timeoutMs: 300_000,
  });
  if (staged.exitCode !== 0) return undefined;
  const plain = await sandbox.exec(`${PLAIN} diff ${FLAGS} ${base} --`, {
    ...options,
    cwd: REPOSITORY,
    timeoutMs: 300_000,
  });
  if (plain.exitCode !== 0) return undefined;
  const text = textOf(plain.stdout.bytes);
  if (text !== undefined) return plain.stdout.omittedBytes > 0 || tooLong(text) ? undefined : text;
  await sandbox.writeFile(ATTRIBUTES, "* -diff\n");
  const binary = `${PLAIN} -c core.attributesFile=${ATTRIBUTES} diff ${FLAGS} ${base} --`;
  const again = await sandbox.exec(binary, { ...options, cwd: REPOSITORY, timeoutMs: 300_000 });
  const { omittedBytes, text: safe } = again.stdout;
  return again.exitCode !== 0 || omittedBytes > 0 || tooLong(safe) ? undefined : safe;
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const tooLong = (text: string): boolean => Buffer.byteLength(text) > PATCH_BYTES;

async function git(sandbox: Sandbox, script: string, options: ExecOptions = {}) {
  const { exitCode, stdout, stderr } = await sandbox.exec(script, { cwd: REPOSITORY, ...options });
  if (exitCode === 0) return stdout;
  throw new SandboxError(`swe-bench: \`${script}\` failed in the sandbox: ${stderr.text.trim() || exitCode}`);
}
