import { SandboxError } from "../../../core/errors.ts";
import type { Sandbox } from "../../../core/sandbox/sandbox.ts";
import { REPOSITORY } from "../workspaces/workspaces.ts";
import { toolStarved } from "./infra.ts";
import type { RuleSet } from "./rules.ts";

const PATCH_FILE = "/tmp/patch.diff";

/** What the official harness tries, in order (facts: SWE-bench v4.1.0 and v5.0.2, harness/run_evaluation). */
const ATTEMPTS: Readonly<Record<RuleSet, readonly string[]>> = {
  "v4.1": ["git apply --verbose", "git apply --verbose --reject", "patch --batch --fuzz=5 -p1 -i"],
  v5: [
    "git apply --verbose",
    "git apply --verbose --3way",
    "git apply --verbose --reject",
    "patch --batch --forward --fuzz=5 -p1 -i",
  ],
};

/** Whether a patch went on, and what the attempts printed. */
export interface Applied {
  readonly applied: boolean;
  readonly log: string;
}

/**
 * Applies a model's patch as the official harness of that rule set does.
 * @throws {SandboxError} also if a command was killed, took over 300 s, or had no disk or memory left.
 */
export async function applyPatch(sandbox: Sandbox, patch: string, rules: RuleSet): Promise<Applied> {
  await sandbox.writeFile(PATCH_FILE, patch);
  const log: string[] = [];
  const run = async (command: string) => {
    const { exitCode, timedOut, stdout } = await sandbox.exec(command, {
      cwd: REPOSITORY,
      merge: true,
      timeoutMs: 300_000,
    });
    // 129 is git's code for an option that it does not have.
    if (timedOut || exitCode > 129 || (exitCode !== 0 && toolStarved(stdout.text))) {
      const why = timedOut ? "took longer than 300 s" : `failed: ${stdout.text.trim() || exitCode}`;
      throw new SandboxError(`swe-bench: \`${command}\` ${why}`);
    }
    return { ok: exitCode === 0, output: stdout.text };
  };
  for (const [at, command] of ATTEMPTS[rules].entries()) {
    if (at > 0 && rules === "v5") await run("git checkout -- . ; git clean -fd");
    const { ok, output } = await run(`${command} ${PATCH_FILE}`);
    log.push(output);
    if (ok) return { applied: true, log: `>>>>> Applied Patch:\n${output}` };
    log.push(`Failed to apply patch to container: ${command}`);
  }
  // On the tree as the last attempt left it: there may be all of the patch in it, though every command failed.
  if (rules === "v5" && (await run(`git apply --check --reverse ${PATCH_FILE}`)).ok) {
    return { applied: true, log: ">>>>> Applied Patch:\nverified already applied\n" };
  }
  return { applied: false, log: `>>>>> Patch Apply Failed:\n${log.join("\n")}` };
}
