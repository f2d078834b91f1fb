import { InputError, SandboxError } from "../../../core/errors.ts";
import {
  createDockerSandbox,
  type DockerSandboxOptions,
  dockerSnapshots,
} from "../../../core/sandbox/docker/index.ts";
import type { SweInstance } from "../instance.ts";
import { commitBase, putRepository, settleIn } from "./baseline.ts";
import { REPOSITORY, type RepositoryOf, type Workspaces } from "./workspaces.ts";

export interface DockerWorkspacesOptions extends Omit<DockerSandboxOptions, "image" | "cwd"> {
  /** Image of an instance. @default its own */
  readonly image?: (instance: SweInstance) => string;
  /** Where repositories come from that are in no image; the image then needs git and python3. @default nowhere */
  readonly repository?: RepositoryOf;
}

/** What SWE-bench's images expect, so that commands find their Python; and no pagers, no progress bars. */
const ENV = {
  BASH_ENV: "/root/.bashrc",
  PAGER: "cat",
  MANPAGER: "cat",
  LESS: "-R",
  PIP_PROGRESS_BAR: "off",
  TQDM_DISABLE: "1",
};

/**
 * Sandboxes in Docker: agents get the chosen engine (overlay forks in milliseconds), grading a plain container with
 * Docker's own privileges, as the official harness has it.
 */
export function dockerWorkspaces(options: DockerWorkspacesOptions = {}): Workspaces {
  const { image = (instance) => instance.image, repository = async () => undefined, env, ...rest } = options;
  return {
    name: "docker",
    async open(instance, purpose) {
      const found = await repository(instance);
      const sandbox = await createDockerSandbox({
        ...rest,
        ...(purpose === "grading" && { engine: "commit" as const }),
        image: image(instance),
        cwd: found === undefined ? REPOSITORY : "/",
        env: { ...ENV, ...env },
      }).catch((error: unknown) => {
        // A daemon that restarts, a registry that is away: for an evaluation no bad input, for it may go well later.
        if (purpose !== "grading" || !(error instanceof InputError)) throw error;
        throw new SandboxError(error.message, { cause: error });
      });
      try {
        if (found !== undefined) {
          const hasGit = "archive" in found && found.hasGit;
          await putRepository(sandbox, found, { git: hasGit });
          if (!hasGit) await commitBase(sandbox, instance, found);
          await sandbox.exec(`cd ${REPOSITORY}`, { keepShell: true });
        }
        await settleIn(sandbox, instance, purpose);
        return sandbox;
      } catch (error) {
        await sandbox.close();
        throw error;
      }
    },
    fork: dockerSnapshots.fork,
    release: dockerSnapshots.release,
  };
}
