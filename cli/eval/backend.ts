import type { SweInstance } from "../../envs/swe-bench/instance.ts";
import { miniRepository } from "../../envs/swe-bench/mini/index.ts";
import type { Backend } from "../../envs/swe-bench/settings.ts";

/**
 * Whether there is what these evaluations run in, asked before the first one; nothing is asked for none.
 * @throws {InputError} with what to install or to start.
 * @throws {SandboxError} if the Docker daemon is there and does not answer.
 */
export async function checkBackend(backend: Backend, pending: readonly SweInstance[]): Promise<void> {
  const isWasmer = await Promise.all(
    pending.map(async (instance) =>
      backend === "auto" ? (await miniRepository(instance)) !== undefined : backend === "wasmer",
    ),
  );
  if (isWasmer.includes(true)) (await import("../../core/sandbox/wasmer/optional.ts")).checkPackages();
  if (isWasmer.includes(false)) await (await import("../../core/sandbox/docker/daemon.ts")).connectDaemon();
}
