import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Snapshot } from "../../core/env.ts";
import { SnapshotError } from "../../core/errors.ts";
import { Capture, captured } from "../../core/sandbox/captured.ts";
import type { Captured, Command, ExecOptions, ExecResult, ShellState } from "../../core/sandbox/sandbox.ts";
import { LocalSandbox } from "../fakes/local-sandbox.ts";
import { type SandboxContract, sandboxLaws, testSandbox } from "./index.ts";

function contract(make: () => Promise<LocalSandbox>): SandboxContract {
  return {
    make,
    kill: (sandbox) => (sandbox as LocalSandbox).killFromOutside(),
    folder: (sandbox) => (sandbox as LocalSandbox).root,
  };
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "forkgym-contract-"));
  vi.stubEnv("TMPDIR", folder); // What the broken ones leave behind goes with it.
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

testSandbox({
  ...contract(() => LocalSandbox.make()),
  skip: {
    "/dev/stdout and /dev/stderr can be opened":
      "Node's pipes are sockets, which Linux does not open by a path",
    "a time-out kills a child that left the session and dropped its variables (needs setsid)":
      "without a cgroup or a namespace there is nothing left to know it by",
    "a fork cannot kill the processes of another sandbox": "all of them see the host's processes",
  },
});

class KillsOnlyTheChild extends LocalSandbox {
  protected override kill(child: ChildProcess): void {
    child.kill("SIGKILL");
  }
}

class KillsOnlyTheGroup extends LocalSandbox {
  protected override kill(child: ChildProcess): void {
    process.kill(-child.pid!, "SIGKILL");
  }
}

/** Every process of the sandbox, not of the command. */
class KillsTooMuch extends LocalSandbox {
  protected override kill(child: ChildProcess, mark: string): void {
    super.kill(child, mark.slice(0, mark.indexOf("/")));
  }
}

/** Changes what comes out of `exec`. */
abstract class Retold extends LocalSandbox {
  protected abstract retell(result: ExecResult): ExecResult;
  override async exec(command: Command, options?: ExecOptions): Promise<ExecResult> {
    return this.retell(await super.exec(command, options));
  }
}

class TimeOutLosesOutput extends Retold {
  protected retell(result: ExecResult): ExecResult {
    return result.timedOut
      ? { ...result, stdout: captured(Buffer.of()), stderr: captured(Buffer.of()) }
      : result;
  }
}

class SignalIsMinusOne extends Retold {
  protected retell(result: ExecResult): ExecResult {
    return result.exitCode > 128 ? { ...result, exitCode: -1 } : result;
  }
}

class MergesAfterwards extends LocalSandbox {
  override async exec(command: Command, options: ExecOptions = {}): Promise<ExecResult> {
    const result = await super.exec(command, { ...options, merge: false });
    if (!options.merge) return result;
    const stdout = captured(Buffer.concat([result.stdout.bytes, result.stderr.bytes]));
    return { ...result, stdout, stderr: captured(Buffer.of()) };
  }
}

class ChunkDecoder extends Capture {
  #text = "";
  override add(chunk: Uint8Array): void {
    super.add(chunk);
    this.#text += Buffer.from(chunk).toString("utf8");
  }
  override result(): Captured {
    return { ...super.result(), text: this.#text };
  }
}

class DecodesChunkByChunk extends LocalSandbox {
  protected override capture(limit: number): Capture {
    return new ChunkDecoder(limit);
  }
}

/** Cuts when the command is over, not before. */
class LateCutter extends Capture {
  readonly #limit: number;
  readonly #chunks: Uint8Array[] = [];
  constructor(limit: number) {
    super(limit);
    this.#limit = limit;
  }
  override add(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
  }
  override result(): Captured {
    const cut = new Capture(this.#limit);
    for (const chunk of this.#chunks) cut.add(chunk);
    return cut.result();
  }
}

class KeepsAllOutputUntilTheEnd extends LocalSandbox {
  protected override capture(limit: number): Capture {
    return new LateCutter(limit);
  }
}

class IgnoresTheLimit extends LocalSandbox {
  protected override capture(): Capture {
    return new Capture(1e9);
  }
}

class LeavesTheInputOpen extends LocalSandbox {
  protected override feed(child: ChildProcess, stdin?: string | Uint8Array): void {
    if (stdin !== undefined) super.feed(child, stdin);
  }
}

class WaitsForThePipe extends LocalSandbox {
  protected override async over(child: ChildProcess): Promise<number> {
    const [code] = await once(child, "close");
    return code ?? 137;
  }
}

class JoinsTheArgv extends LocalSandbox {
  override exec(command: Command, options?: ExecOptions): Promise<ExecResult> {
    return super.exec(typeof command === "string" ? command : command.join(" "), options);
  }
}

class HandsOnTheHostsVariables extends LocalSandbox {
  protected override base(): Record<string, string | undefined> {
    return process.env;
  }
}

class MakesTheFolderToRunIn extends LocalSandbox {
  override async exec(command: Command, options: ExecOptions = {}): Promise<ExecResult> {
    if (options.cwd) await mkdir(this.path(options.cwd), { recursive: true }).catch(() => {});
    return super.exec(command, options);
  }
}

class KeepShellLostOnExit extends LocalSandbox {
  protected override keeping(scratch: string): string {
    return `. ${scratch}/script\npwd > ${scratch}/cwd; env -0 > ${scratch}/env`;
  }
}

class VariablesByLine extends LocalSandbox {
  protected override async variables(scratch: string): Promise<Record<string, string>> {
    const all = Object.entries(await super.variables(scratch));
    return Object.fromEntries(all.map(([name, value]) => [name, value.split("\n")[0]!]));
  }
}

class EveryScriptKeepsTheShell extends LocalSandbox {
  override exec(command: Command, options: ExecOptions = {}): Promise<ExecResult> {
    return super.exec(command, { ...options, keepShell: typeof command === "string" });
  }
}

/** A fork's shell state is its parent's. */
class SharesTheShell extends LocalSandbox {
  #parent: SharesTheShell | undefined;
  override async fork(snapshot: Snapshot): Promise<LocalSandbox> {
    const fork = (await super.fork(snapshot)) as SharesTheShell;
    fork.#parent = this;
    return fork;
  }
  protected override keep(shell: ShellState): void {
    super.keep(shell);
    if (this.#parent) this.#parent.shell = { ...this.#parent.shell, env: shell.env };
  }
}

class ForksShareTheFolder extends LocalSandbox {
  protected override async load(saved: string): Promise<string> {
    return saved;
  }
}

class SnapshotIsLive extends LocalSandbox {
  protected override async save(): Promise<string> {
    return this.root;
  }
}

class ForkLosesModesAndTimes extends LocalSandbox {
  protected override copyOptions(): string {
    return "-r";
  }
}

class ReleaseFreesAnother extends LocalSandbox {
  override release(): Promise<void> {
    return this.free(this.saved());
  }
}

class ReleaseForgotten extends LocalSandbox {
  override async release(): Promise<void> {}
}

class SnapshotIsNeverTakenAgain extends LocalSandbox {
  #first: Promise<Snapshot> | undefined;
  override snapshot(): Promise<Snapshot> {
    this.#first ??= super.snapshot();
    return this.#first;
  }
}

class SnapshotIsAlwaysNew extends LocalSandbox {
  protected override fresh(): boolean {
    return false;
  }
}

class HandsOutAReleasedSnapshot extends LocalSandbox {
  protected override fresh(): boolean {
    return true;
  }
}

/** Works in the sandbox that made it, and nowhere else. */
class SnapshotNeedsItsMaker extends LocalSandbox {
  readonly #own = new Set<unknown>();
  override async snapshot(): Promise<Snapshot> {
    const snapshot = await super.snapshot();
    this.#own.add(snapshot.id);
    return snapshot;
  }
  override async fork(snapshot: Snapshot): Promise<LocalSandbox> {
    if (!this.#own.has(snapshot.id)) throw new SnapshotError("not mine");
    return super.fork(snapshot);
  }
}

class CloseFreesSnapshots extends LocalSandbox {
  override async close(): Promise<void> {
    await super.close();
    await this.free(this.saved());
  }
}

/** The folder stays, and so does the sandbox. */
class WorksOnAfterClose extends LocalSandbox {
  override async close(): Promise<void> {}
}

class CloseWaitsForCommands extends LocalSandbox {
  readonly #runs = new Set<Promise<ExecResult>>();
  override exec(command: Command, options?: ExecOptions): Promise<ExecResult> {
    const run = super.exec(command, options);
    this.#runs.add(run);
    return run;
  }
  protected override async end(): Promise<void> {
    await Promise.allSettled(this.#runs);
    await super.end();
  }
}

describe("a broken backend is caught, by name of law", () => {
  const broken: [new (root: string) => LocalSandbox, law: string, told: string][] = [
    [
      KillsOnlyTheChild,
      "a time-out kills a child that ignores signals and holds the pipe",
      "a process still runs",
    ],
    [
      KillsOnlyTheChild,
      "an abort kills the command and rejects with the signal's reason",
      "a process still runs",
    ],
    [
      KillsOnlyTheGroup,
      "a time-out kills a child that left the session (needs setsid)",
      "a process still runs",
    ],
    [KillsTooMuch, "a time-out kills nothing of another command", "137"],
    [TimeOutLosesOutput, "a time-out is a result and keeps the output so far", "-   'before'"],
    [SignalIsMinusOne, "an exit by a signal is 128 + n", "-1 !== 137"],
    [MergesAfterwards, "merged streams keep the order of writing", "'out 0\\n' +\n+   'out 1"],
    [DecodesChunkByChunk, "a character that comes in two pieces is one character", "a\ufffd"],
    [KeepsAllOutputUntilTheEnd, "a large output is cut in flat memory", "more bytes were in use"],
    [IgnoresTheLimit, "an output of just the limit is whole, and one more byte is cut", "+ '0123456789X'"],
    [LeavesTheInputOpen, "an input is at its end if none is given", "timed out: cat"],
    [
      WaitsForThePipe,
      "a command is over when it ends, although a child holds the pipe",
      "expected an end within",
    ],
    [JoinsTheArgv, "an argv is not interpreted", "syntax error"],
    [HandsOnTheHostsVariables, "the host's variables are not seen inside", "'secret' !== ''"],
    [
      MakesTheFolderToRunIn,
      "a folder to run in that is not there is a FileError that names it",
      "Missing expected rejection",
    ],
    [KeepShellLostOnExit, "keepShell keeps them although the script exits", "'here\\nkept'"],
    [VariablesByLine, "keepShell keeps the folder and the exported variables", '+ `it\'s "q" $HOME`'],
    [EveryScriptKeepsTheShell, "a command without keepShell does not change them", "CONTRACT_A: 'after'"],
    [SharesTheShell, "a fork goes on in the same shell, and neither changes the other's", "+ 's\\nfork'"],
    [ForksShareTheFolder, "what a fork changes is seen in no other sandbox", "a sibling sees it"],
    [
      SnapshotIsLive,
      "what a parent changes is seen in no fork, and its snapshot stays put",
      "the snapshot has it",
    ],
    [ForkLosesModesAndTimes, "modes, owners and times cross a fork", "Feb 3 2001"],
    [ReleaseFreesAnother, "snapshots are released in any order, and forks live on", "it was released"],
    [
      ReleaseForgotten,
      "a released snapshot cannot be forked, and releasing twice is fine",
      "Missing expected rejection",
    ],
    [SnapshotIsNeverTakenAgain, "a snapshot of a changed sandbox is another one", "after printf"],
    [SnapshotIsAlwaysNew, "a snapshot of an unchanged sandbox is the same snapshot", "kind: 'local'"],
    [
      HandsOutAReleasedSnapshot,
      "an unchanged sandbox whose snapshot was released gives one that can be forked",
      "it was released",
    ],
    [
      SnapshotNeedsItsMaker,
      "a snapshot is plain JSON and survives it, in another sandbox of the backend too",
      "not mine",
    ],
    [CloseFreesSnapshots, "closing a sandbox leaves its snapshots and forks alone", "it was released"],
    [
      WorksOnAfterClose,
      "nothing can be done with a closed sandbox: a SandboxError",
      "Missing expected rejection",
    ],
    [
      CloseWaitsForCommands,
      "closing rejects the commands that run, returns soon, and closing twice is fine",
      "expected an end within",
    ],
  ];
  test.each(broken)("%o: %s", async (Broken, law, told) => {
    const make = () => LocalSandbox.make.call(Broken);
    await expect(sandboxLaws[law]!(contract(make))).rejects.toThrow(told);
  });
});

test("a law that needs what the contract does not give says so", async () => {
  const { make, folder } = contract(() => LocalSandbox.make());
  for (const [law, option] of [
    ["a sandbox killed from outside is a SandboxError, at once and from then on", "kill"],
    ["a full disk is a FileError, or a command's own failure, and no more", "fullDisk"],
  ] as const)
    await expect(sandboxLaws[law]!({ make, folder: folder! })).rejects.toThrow(`has no \`${option}\``);
});

test("a law that does not exist cannot be skipped", () => {
  expect(() => testSandbox({ make: () => LocalSandbox.make(), skip: { "no such law": "why" } })).toThrow(
    'testSandbox: `skip` names "no such law", which is no law',
  );
});
