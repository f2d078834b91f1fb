import { describe, test } from "vitest";
import type { EnvContract } from "./env-lab.ts";
import { envLaws } from "./env-laws.ts";

/**
 * Registers one vitest test for each law of the Env contract (see `core/env.ts`). Call it in a test file:
 *
 *     testEnv({ make: () => new MyEnv(), tasks: [task], action: fc.constantFrom("left", "right"),
 *               ending: { task, seed: 0, actions: ["right", "right"] } });
 *
 * A failing law prints fast-check's seed and path, which `replay` takes back, and a shrunk case.
 * @throws {Error} if `skip` names a law that does not exist.
 */
export function testEnv<Data, Obs, Act>(contract: EnvContract<Data, Obs, Act>): void {
  const { skip = {} } = contract;
  for (const name of Object.keys(skip)) {
    if (!(name in envLaws)) {
      throw new Error(
        `testEnv: \`skip\` names "${name}", which is no law; laws: ${Object.keys(envLaws).join("; ")}`,
      );
    }
  }
  describe("the Env contract", () => {
    for (const [name, law] of Object.entries(envLaws)) {
      if (name in skip) test.skip(`${name} (skipped: ${skip[name]})`, () => {});
      else test(name, () => law(contract));
    }
  });
}
