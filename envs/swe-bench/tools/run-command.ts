import { FileError } from "../../../core/errors.ts";
import type { ExecOptions, ExecResult } from "../../../core/sandbox/sandbox.ts";
import type { ToolContext } from "../types.ts";
import { asWritten } from "./clip.ts";
import { AgentMistake } from "./tool.ts";

/** Variables of the agent's commands: no pagers, no progress bars. Source: mini-swe-agent, swebench.yaml. */
const AGENT_ENV = {
  PAGER: "cat",
  MANPAGER: "cat",
  GIT_PAGER: "cat",
  LESS: "-R",
  PIP_PROGRESS_BAR: "off",
  TQDM_DISABLE: "1",
};

/** More than any scaffold shows. */
const OUTPUT_BYTES = 262_144;

/** How an agent's command went. */
export interface CommandEnd {
  /** -1 if it ran out of time, as the scaffolds say it. */
  readonly exitCode: number;
  readonly timedOut: boolean;
  /** Stdout and stderr in the order written; stdout alone if they were to come apart. */
  readonly output: string;
  /** Stderr, if they were. */
  readonly errors: string;
  /** Bytes that are missing in the middle of `output`. */
  readonly omittedBytes: number;
  /** What the agent should know besides: a time-out, a folder that is gone. Empty if nothing. */
  readonly note: string;
}

/**
 * Runs a command of the agent in a shell of its own. `apart`: stdout and stderr come apart; default false.
 * `outputBytes`: kept of each stream; default 256 KiB.
 * @throws {AgentMistake} if it is none. @throws {SandboxError}
 */
export async function runCommand(
  context: ToolContext,
  script: string,
  {
    apart = false,
    outputBytes = OUTPUT_BYTES,
  }: { readonly apart?: boolean; readonly outputBytes?: number } = {},
): Promise<CommandEnd> {
  const command = asWritten(script);
  if (command.trim() === "") throw new AgentMistake("The command is empty.");
  if (command.includes("\0")) throw new AgentMistake("The command holds a NUL character.");
  const { sandbox, timeoutMs, signal } = context;
  const options = {
    env: AGENT_ENV,
    timeoutMs,
    outputBytes,
    merge: !apart,
    ...(signal ? { signal } : {}),
  } satisfies ExecOptions;
  const { cwd } = sandbox.shell;
  try {
    return ended(await sandbox.exec(command, options), timeoutMs);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    const end = ended(await sandbox.exec(command, { ...options, cwd: "/" }), timeoutMs);
    return {
      ...end,
      note: `[The folder ${cwd} is gone, so the command ran in /.]${end.note && `\n${end.note}`}`,
    };
  }
}

function ended({ exitCode, timedOut, stdout, stderr }: ExecResult, timeoutMs: number): CommandEnd {
  return {
    exitCode: timedOut ? -1 : exitCode,
    timedOut,
    output: Buffer.from(stdout.bytes).toString("utf8"),
    errors: Buffer.from(stderr.bytes).toString("utf8"),
    omittedBytes: stdout.omittedBytes,
    note: timedOut
      ? `[The command took too long (over ${timeoutMs / 1000} s). It was stopped, with all that it had started; above is what it wrote.]`
      : "",
  };
}
