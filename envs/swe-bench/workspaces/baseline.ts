import { SandboxError } from "../../../core/errors.ts";
import type { ExecOptions, Sandbox } from "../../../core/sandbox/sandbox.ts";
import type { SweInstance } from "../instance.ts";
import { type CommitFacts, type Purpose, REPOSITORY, type Repository } from "./workspaces.ts";

const DEFAULT_COMMIT: CommitFacts = {
  message: "base",
  name: "ForkGym",
  email: "forkgym@example.com",
  date: "2026-01-01T00:00:00Z",
};

/** What running Python leaves behind: untracked files of these names are in no patch and no `git status`. */
const ARTEFACTS = [
  "__pycache__/",
  "*.py[co]",
  ".pytest_cache/",
  ".mypy_cache/",
  ".ruff_cache/",
  ".hypothesis/",
  ".tox/",
  ".eggs/",
  "*.egg-info/",
  ".coverage",
  "node_modules/",
  "*.orig",
  "*.rej",
];

const REMOVE_TESTS =
  "rm -rf run_tests.sh r2e_tests /run_tests.sh /r2e_tests /root/run_tests.sh /root/r2e_tests";
const PUT_TESTS_AWAY = `mkdir -p /root
put() { if [ -e "$1" ] && [ ! -e "$2" ]; then mv "$1" "$2"; fi; }
put /testbed/run_tests.sh /root/run_tests.sh
put /run_tests.sh /root/run_tests.sh
put /r2e_tests /root/r2e_tests
put /testbed/r2e_tests /root/r2e_tests`;

/** Puts a repository's files to {@link REPOSITORY}; of an archive with its `.git` where that is asked for. */
export async function putRepository(
  sandbox: Sandbox,
  found: Repository,
  options: { readonly git: boolean },
): Promise<void> {
  if ("archive" in found) return sandbox.putArchive(REPOSITORY, await found.archive(options));
  for (const [path, content] of Object.entries(found.files)) {
    await sandbox.writeFile(`${REPOSITORY}/${path}`, content);
  }
}

/** Makes a repository of the files at {@link REPOSITORY}, whose one commit the instance's base commit names. */
export async function commitBase(sandbox: Sandbox, instance: SweInstance, found: Repository): Promise<void> {
  const { message, name, email, date } = ("files" in found && found.commit) || DEFAULT_COMMIT;
  const env = {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
    GIT_COMMITTER_DATE: date,
    MESSAGE: message,
  };
  await must(sandbox, 'git init -q -b main && git add -A && git commit -q -m "$MESSAGE"', { env });
  const head = (await must(sandbox, "git rev-parse HEAD")).trim();
  // The row's scripts name a commit that is not here; git's own replacement refs lead from it to the one that is.
  if (head !== instance.baseCommit) {
    await must(sandbox, `git update-ref refs/replace/${instance.baseCommit} HEAD`);
  }
  // As in SWE-bench's images; without it a script's `git show` would print the whole repository.
  await must(sandbox, "git commit -q --allow-empty -m SWE-bench", { env });
}

/** What every repository is given once it lies there, whoever brought it. */
export async function settleIn(sandbox: Sandbox, instance: SweInstance, purpose: Purpose): Promise<void> {
  const { hidden, family } = instance;
  if (hidden.goldReversed) {
    await sandbox.writeFile("/tmp/bug.diff", hidden.goldPatch);
    // Into the commit that is there: a commit of its own would show the fix as its parent.
    const amend = "git -c user.name=ForkGym -c user.email=forkgym@example.com commit -q --amend --no-edit -a";
    const forget = "git reflog expire --expire=now --all && git prune --expire=now";
    await must(sandbox, `git apply /tmp/bug.diff && rm /tmp/bug.diff && ${amend} && ${forget}`);
  }
  // The tests to come are in the image. For grading they go where no patch reaches, as in R2E-Gym.
  if (family === "r2e-gym") await must(sandbox, purpose === "grading" ? PUT_TESTS_AWAY : REMOVE_TESTS);
  if (purpose === "grading") return;
  const exclude = `${REPOSITORY}/.git/info/exclude`;
  const before = await sandbox.readFile(exclude).catch(() => new Uint8Array());
  await sandbox.writeFile(exclude, Buffer.concat([before, Buffer.from(`\n${ARTEFACTS.join("\n")}\n`)]));
}

async function must(sandbox: Sandbox, script: string, options: ExecOptions = {}): Promise<string> {
  const { exitCode, stdout } = await sandbox.exec(script, { ...options, cwd: REPOSITORY, merge: true });
  if (exitCode === 0) return stdout.text;
  throw new SandboxError(`swe-bench: \`${script}\` failed in the sandbox: ${stdout.text.trim() || exitCode}`);
}
