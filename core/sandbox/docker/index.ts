import type Docker from "dockerode";
import { oneOf } from "../../check.ts";
import { InputError, messageOf } from "../../errors.ts";
import type { Sandbox, ShellState } from "../sandbox.ts";
import { startCommit } from "./commit.ts";
import { connectDaemon, ensureImage } from "./daemon.ts";
import { type Limits, MissingPython } from "./machine.ts";
import { startOverlay } from "./overlay.ts";

export type { BranchLimits, Limits, ProcessLimits } from "./machine.ts";
export { dockerSnapshots } from "./snapshots.ts";

export interface DockerSandboxOptions extends Limits {
  /** Name or id; pulled if it is not here. */
  readonly image: string;
  /**
   * How forks are made: `overlay` in milliseconds, in a container that may mount; `commit` with default privileges,
   * in tenths of a second and more; `auto` tries overlay first. @default "auto"
   */
  readonly engine?: "auto" | "overlay" | "commit";
  /** Folder that commands start in. @default the image's, else / */
  readonly cwd?: string;
  /** Variables on top of the image's. */
  readonly env?: Readonly<Record<string, string>>;
  /** Label on everything that is made. */
  readonly run?: string;
  /** Told in one line why `auto` fell back, what a fork does not carry, and how a pull goes. @default nobody */
  readonly onNote?: (line: string) => void;
  /** @default the daemon that DOCKER_HOST names, else the local one */
  readonly docker?: Docker;
}

/**
 * A sandbox in a Docker container. With `python3` (3.6 or newer) in the image, commands go to a server in the
 * container and cost milliseconds; without, `sh` is enough, forks are commits and each command is a `docker exec`.
 * @throws {InputError} if Docker is not there, not allowed or too old, or the image does not exist or has no `sh`.
 * @throws {SandboxError} if the container does not come up.
 */
export async function createDockerSandbox(options: DockerSandboxOptions): Promise<Sandbox> {
  const { image, cwd, env = {}, onNote = () => {}, docker: given, ...rest } = options;
  const engine = oneOf(["auto", "overlay", "commit"], "docker", "engine", options.engine ?? "auto");
  const docker = await connectDaemon(given);
  const { Config, Id } = await ensureImage(docker, image, onNote);
  const shell: ShellState = { cwd: cwd ?? (Config.WorkingDir || "/"), env: { ...env } };
  const imageHome = (Config.Env ?? []).some((pair) => pair.startsWith("HOME="));
  const machine = { ...rest, onNote, image: Id, imageHome, overlay: false };
  const commit = async (): Promise<Sandbox> => {
    const volumes = Object.keys(Config.Volumes ?? {});
    if (volumes.length > 0) {
      onNote(`docker: a fork by commit loses what is written to the image's volumes: ${volumes.join(", ")}`);
    }
    try {
      return await startCommit(docker, machine, shell);
    } catch (error) {
      if (!(error instanceof MissingPython)) throw error;
      onNote(`${error.message}; each command is a docker exec of its own instead`);
      return startCommit(docker, { ...machine, plain: true }, shell);
    }
  };
  if (engine === "commit") return commit();
  try {
    return await startOverlay(docker, machine, shell);
  } catch (error) {
    if (engine === "overlay" || (error instanceof InputError && !(error instanceof MissingPython)))
      throw error;
    onNote(`docker: no overlay branches here, forking by commit instead: ${messageOf(error)}`);
    return commit();
  }
}
