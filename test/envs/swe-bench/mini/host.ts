import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { MINI_COMMIT, miniFiles } from "../../../../envs/swe-bench/mini/index.ts";

// Its own path, past any launcher that chooses a version anew each time.
const python = spawnSync(
  "python3",
  ["-c", "import sys; print(sys.executable, sys.version_info >= (3, 11), sep=chr(10))"],
  {
    encoding: "utf8",
  },
);
const [executable, isRecent] = (python.stdout ?? "").trim().split("\n");

/** Why the host cannot run the tasks; "" if it can. Test ids are printed as in the rows from Python 3.11 on. */
export const hostLacks: string = (() => {
  if (spawnSync("git", ["--version"]).status !== 0) return "no git";
  if (spawnSync("bash", ["-c", "true"]).status !== 0) return "no bash";
  return isRecent === "True" ? "" : "no python3 of version 3.11 or later";
})();

/** A task's repository in a folder of the host, committed as its base commit. */
export class Checkout {
  readonly #top = mkdtempSync(join(tmpdir(), "swe-mini-"));
  readonly folder: string = join(this.#top, "testbed");

  constructor(id: string) {
    for (const [path, content] of Object.entries(miniFiles(id))) {
      mkdirSync(dirname(join(this.folder, path)), { recursive: true });
      writeFileSync(join(this.folder, path), content, { mode: 0o644 });
    }
    this.must("git", ["init", "-q", "-b", "main"]);
    this.must("git", ["add", "-A"]);
    this.must("git", ["commit", "-q", "-m", MINI_COMMIT.message]);
  }

  /** Exit code, and both outputs in one stream. */
  run(command: string, args: readonly string[], input = ""): { code: number | null; output: string } {
    const { name, email, date } = MINI_COMMIT;
    const result = spawnSync("bash", ["-c", 'exec "$@" 2>&1', "-", command, ...args], {
      cwd: this.folder,
      input,
      encoding: "utf8",
      env: {
        PATH: `${dirname(executable!)}:${process.env.PATH}`,
        HOME: this.#top,
        GIT_CONFIG_NOSYSTEM: "1",
        GIT_AUTHOR_NAME: name,
        GIT_AUTHOR_EMAIL: email,
        GIT_AUTHOR_DATE: date,
        GIT_COMMITTER_NAME: name,
        GIT_COMMITTER_EMAIL: email,
        GIT_COMMITTER_DATE: date,
        PYTHONDONTWRITEBYTECODE: "1",
      },
    });
    return { code: result.status, output: result.stdout };
  }

  must(command: string, args: readonly string[], input = ""): string {
    const { code, output } = this.run(command, args, input);
    if (code === 0) return output;
    throw new Error(`${command} ${args.join(" ")}: ${output}`);
  }

  remove(): void {
    rmSync(this.#top, { recursive: true, force: true });
  }
}
