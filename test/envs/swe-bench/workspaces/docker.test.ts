import type Docker from "dockerode";
import { expect, test } from "vitest";
import { InputError, SandboxError } from "../../../../core/errors.ts";
import { miniInstances } from "../../../../envs/swe-bench/mini/index.ts";
import { dockerWorkspaces } from "../../../../envs/swe-bench/workspaces/docker.ts";

test("a daemon that is away may be back for an evaluation's next try, and is bad input for an agent", async () => {
  const refused = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
  const docker = { version: () => Promise.reject(refused) } as unknown as Docker;
  const workspaces = dockerWorkspaces({ docker });
  const instance = miniInstances()[0]!;
  await expect(workspaces.open(instance, "grading")).rejects.toThrow(SandboxError);
  await expect(workspaces.open(instance, "grading")).rejects.toThrow("docker: no daemon answers");
  await expect(workspaces.open(instance, "agent")).rejects.toThrow(InputError);
});
