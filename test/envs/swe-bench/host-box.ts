import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { Captured, Command, ExecOptions, ExecResult, Sandbox } from "../../../core/sandbox/sandbox.ts";

/** Why the host cannot stand in for a sandbox with git; "" if it can. */
export const hostHasNoGit: string =
  spawnSync("git", ["--version"]).status === 0 && spawnSync("bash", ["-c", "true"]).status === 0
    ? ""
    : "no git or no bash";

const ENV = {
  PATH: process.env.PATH!,
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@b",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@b",
};

/** What swe-bench asks of a sandbox, with the host's git in a folder of the test. `/testbed` and `/tmp` are below it. */
export class HostBox implements Pick<Sandbox, "exec" | "writeFile"> {
  readonly #root = mkdtempSync(join(tmpdir(), "host-box-"));

  /** A repository of these files with one commit; what `script` does then is not committed. */
  constructor(files: Readonly<Record<string, string>>, script = "true") {
    onTestFinished(() => rmSync(this.#root, { recursive: true, force: true }));
    mkdirSync(this.#place("/testbed"), { recursive: true });
    mkdirSync(this.#place("/tmp"));
    for (const [path, content] of Object.entries(files)) this.#write(`/testbed/${path}`, content);
    this.sh(`git init -q -b main && git add -A && git commit -q -m base && { ${script}; }`);
  }

  get sandbox(): Sandbox {
    return this as unknown as Sandbox;
  }

  /** Another sandbox with the same files. */
  copy(): HostBox {
    const copy = new HostBox({ x: "" });
    rmSync(copy.#place("/testbed"), { recursive: true });
    cpSync(this.#place("/testbed"), copy.#place("/testbed"), { recursive: true, verbatimSymlinks: true });
    return copy;
  }

  /** Runs a script in the repository. @returns what it printed */
  sh(script: string): string {
    const { status, stdout, stderr } = this.#spawn(["bash", "-c", this.#mapped(script)]);
    if (status !== 0) throw new Error(`${script}: ${stderr}`);
    return stdout.toString();
  }

  async exec(command: Command, { env, merge = false }: ExecOptions = {}): Promise<ExecResult> {
    const argv = (typeof command === "string" ? ["bash", "-c", command] : command).map((word) =>
      this.#mapped(word),
    );
    const mapped = Object.entries(env ?? {}).map(([name, value]) => [name, this.#mapped(value)]);
    const { status, stdout, stderr } = this.#spawn(
      merge ? ["bash", "-c", 'exec "$@" 2>&1', "-", ...argv] : argv,
      Object.fromEntries(mapped),
    );
    const result = { exitCode: status ?? 137, timedOut: false, ms: 1 };
    return { ...result, stdout: captured(stdout), stderr: captured(stderr) };
  }

  async writeFile(path: string, content: string | Uint8Array): Promise<void> {
    this.#write(path, content);
  }

  #spawn(argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
    return spawnSync(argv[0]!, argv.slice(1), {
      cwd: this.#place("/testbed"),
      env: { ...ENV, HOME: this.#root, ...env },
    });
  }

  #write(path: string, content: string | Uint8Array): void {
    mkdirSync(dirname(this.#place(path)), { recursive: true });
    writeFileSync(this.#place(path), content);
  }

  #place(path: string): string {
    return `${this.#root}${path}`;
  }

  #mapped(text: string): string {
    return text.replaceAll(/(?<![\w./])\/(?=testbed|tmp\/)/g, `${this.#root}/`);
  }
}

/** What a command wrote. */
export function captured(content: string | Uint8Array): Captured {
  const bytes = Buffer.from(content);
  return { bytes, omittedBytes: 0, text: bytes.toString("utf8") };
}
