import { describe } from "vitest";

/** A local image with python3, for tests that need Docker. */
export const image: string | undefined = process.env.FORKGYM_IMAGE;

const REASON = "skipped: FORKGYM_IMAGE names no image; set it to a local image with python3";

if (image === undefined && process.env.FORKGYM_REQUIRE_DOCKER === "1") throw new Error(REASON);

/** Tests that need Docker: skipped by name without it, a failure where FORKGYM_REQUIRE_DOCKER=1. */
export function describeDocker(name: string, tests: () => void): void {
  if (image === undefined) describe.skip(`${name} (${REASON})`, tests);
  else describe(name, tests);
}
