import type { SweInstance } from "../instance.ts";
import type { Workspaces } from "./workspaces.ts";

/** Wasmer for the instances that it is said to suit, Docker for the others. */
export function eitherWorkspaces(parts: {
  readonly docker: Workspaces;
  readonly wasmer: Workspaces;
  readonly isWasmer: (instance: SweInstance) => Promise<boolean>;
}): Workspaces {
  const { docker, wasmer, isWasmer } = parts;
  const of = ({ kind }: { readonly kind?: unknown }) => (kind === "wasmer" ? wasmer : docker);
  return {
    name: "auto",
    open: async (instance, purpose) => ((await isWasmer(instance)) ? wasmer : docker).open(instance, purpose),
    fork: (snapshot) => of(snapshot).fork(snapshot),
    release: (snapshot) => of(snapshot).release(snapshot),
  };
}
