import { afterAll, beforeAll, describe, test } from "vitest";
import { closeSpare, keepSpare, type SandboxContract } from "./sandbox-lab.ts";
import { FULL_DISK_LAW, KILL_LAW, sandboxLaws } from "./sandbox-laws.ts";

/**
 * Registers one vitest test for each law of the Sandbox contract (see `core/sandbox/sandbox.ts`). Call it in a test
 * file:
 *
 *     testSandbox({ make: () => myBackend(), kill: (sandbox) => ..., skip: { "name of a law": "the reason" } });
 *
 * @throws {Error} if `skip` names a law that does not exist.
 */
export function testSandbox(contract: SandboxContract): void {
  const skip: Readonly<Record<string, string>> = {
    ...(!contract.kill && { [KILL_LAW]: "`kill` was not given" }),
    ...(!contract.fullDisk && { [FULL_DISK_LAW]: "`fullDisk` was not given" }),
    ...contract.skip,
  };
  for (const name of Object.keys(skip)) {
    if (!(name in sandboxLaws)) {
      throw new Error(
        `testSandbox: \`skip\` names "${name}", which is no law; laws: ${Object.keys(sandboxLaws).join("; ")}`,
      );
    }
  }
  describe("the Sandbox contract", () => {
    beforeAll(() => keepSpare(contract));
    afterAll(() => closeSpare(contract));
    for (const [name, law] of Object.entries(sandboxLaws)) {
      if (name in skip) test.skip(`${name} (skipped: ${skip[name]})`, () => {});
      else test(name, { timeout: 120_000 * (contract.timeScale ?? 1) }, () => law(contract));
    }
  });
}
