import { afterAll, afterEach, beforeAll, describe } from "vitest";
import type { Snapshot } from "../../../../core/env.ts";
import { createDockerSandbox } from "../../../../core/sandbox/docker/index.ts";
import type { Sandbox } from "../../../../core/sandbox/sandbox.ts";
import { createWasmerSandbox } from "../../../../core/sandbox/wasmer/index.ts";
import type { Scaffold, ToolMemory, ToolResult } from "../../../../envs/swe-bench/types.ts";
import { describeDocker, image } from "../../../core/sandbox/docker/docker.ts";
import { missing } from "../../../core/sandbox/wasmer/installed.ts";

/** Makes a sandbox with these files below /testbed, where its shell is; closed after the test. */
export type Open = (files?: Readonly<Record<string, string | Uint8Array>>) => Promise<Sandbox>;

/** The same tests on Wasmer and, where FORKGYM_IMAGE is set, on Docker. */
export function describeOnSandboxes(name: string, tests: (open: Open) => void): void {
  const reason = missing("just-bash");
  describe.skipIf(reason !== "")(`${name}, wasmer${reason && ` (skipped: ${reason})`}`, () => {
    tests(openerOf(() => createWasmerSandbox({ cwd: "/testbed", python: false })));
  });
  describeDocker(`${name}, docker`, () => {
    tests(openerOf(() => createDockerSandbox({ image: image!, cwd: "/testbed" })));
  });
}

function openerOf(make: () => Promise<Sandbox>): Open {
  let base: Sandbox;
  let snapshot: Snapshot;
  const open: Sandbox[] = [];
  beforeAll(async () => {
    base = await make();
    await base.writeFile("/testbed/README.md", "# A project\n");
    snapshot = await base.snapshot();
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((sandbox) => sandbox.close()));
  });
  afterAll(() => base.close());
  return async (files = {}) => {
    const sandbox = await base.fork(snapshot);
    open.push(sandbox);
    for (const [path, content] of Object.entries(files)) await sandbox.writeFile(`/testbed/${path}`, content);
    return sandbox;
  };
}

/** Uses a scaffold's tools as the Env does: what a tool wants to keep is there at the next call. */
export class Hands {
  readonly scaffold: Scaffold;
  readonly sandbox: Sandbox;
  memory: ToolMemory;

  constructor(scaffold: Scaffold, sandbox: Sandbox, memory: ToolMemory = {}) {
    this.scaffold = scaffold;
    this.sandbox = sandbox;
    this.memory = memory;
  }

  async use(tool: string, args: Readonly<Record<string, string>>, timeoutMs = 20_000): Promise<ToolResult> {
    const { sandbox, memory } = this;
    const result = await this.scaffold.tools[tool]!.run(args, { sandbox, memory, timeoutMs });
    this.memory = JSON.parse(JSON.stringify(result.memory ?? memory)) as ToolMemory;
    return result;
  }

  async text(path: string): Promise<string> {
    return Buffer.from(await this.sandbox.readFile(path)).toString("utf8");
  }
}
