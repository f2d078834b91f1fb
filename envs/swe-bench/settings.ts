import { oneOf, wholeFrom } from "../../core/check.ts";
import { InputError } from "../../core/errors.ts";
import { checkOptions } from "../options.ts";
import { createGrader } from "./grader.ts";
import type { RuleSet } from "./grading/rules.ts";
import { miniRepository } from "./mini/index.ts";
import { scaffolds } from "./scaffolds.ts";
import type { Scaffold } from "./types.ts";
import { dockerWorkspaces } from "./workspaces/docker.ts";
import { eitherWorkspaces } from "./workspaces/either.ts";
import { wasmerWorkspaces } from "./workspaces/wasmer.ts";
import type { RepositoryOf, Workspaces } from "./workspaces/workspaces.ts";

/** Options of the environment: name to one line of help. */
export const SETTINGS: Readonly<Record<string, string>> = {
  backend: "where commands run: docker, wasmer, or auto (default): wasmer for swe-mini, docker for all else",
  scaffold: "the agent's tools: sweagent (default), r2egym, mini",
  turns: "turns of an episode (default: the scaffold's, 50)",
  formatErrors: "replies in a row without a call that end an episode (default: no limit; mini-swe-agent: 3)",
  timeout: "seconds for one command (default: the scaffold's)",
  rules: "rules of grading: v5 (default) or v4.1",
  gradeTimeout: "seconds for the tests (default 1800)",
  workers: "evaluations at once (default 2)",
  workspaces: "folder of repositories that `forkgym prepare` made",
  image: "Docker image to use instead of the row's, for repositories that come as files",
  engine: "how Docker forks: auto (default), overlay, commit",
  network: "on: commands reach the network (default off; Docker only)",
};

export type Backend = "auto" | "docker" | "wasmer";

/** What is needed to make sandboxes. */
export interface WorkspaceSettings {
  readonly backend: Backend;
  readonly workspaces?: string;
  readonly image?: string;
  readonly engine: "auto" | "overlay" | "commit";
  readonly network: boolean;
  /** Label on what is made in Docker. */
  readonly run?: string;
  readonly onNote?: (line: string) => void;
}

export interface Settings {
  readonly workspaces: Workspaces;
  readonly grader: ReturnType<typeof createGrader>;
  readonly scaffold: Scaffold;
  readonly turns?: number;
  readonly timeoutMs?: number;
  readonly formatErrors?: number;
}

/** Sandboxes as the settings say; repositories of `swe-mini` and prepared ones come as files. */
export function workspacesOf(settings: WorkspaceSettings): Workspaces {
  const { backend, workspaces: folder, image, engine, network, run, onNote } = settings;
  const prepared = folder === undefined ? undefined : preparedIn(folder);
  const repository: RepositoryOf = async (instance) =>
    (await miniRepository(instance)) ?? (await prepared?.(instance));
  const docker = () =>
    dockerWorkspaces({
      repository,
      engine,
      network,
      ...(image !== undefined && { image: () => image }),
      ...(run !== undefined && { run }),
      ...(onNote !== undefined && { onNote }),
    });
  const wasmer = () => wasmerWorkspaces({ repository });
  if (backend === "docker") return docker();
  if (backend === "wasmer") return wasmer();
  return eitherWorkspaces({
    docker: docker(),
    wasmer: wasmer(),
    isWasmer: async (instance) => (await miniRepository(instance)) !== undefined,
  });
}

/** Prepared repositories; what reads them is loaded with the first. */
function preparedIn(folder: string): RepositoryOf {
  let loaded: Promise<RepositoryOf> | undefined;
  const load = async () => (await import("./prepare/index.ts")).preparedRepository(folder);
  return async (instance) => {
    loaded ??= load();
    return (await loaded)(instance);
  };
}

/** @throws {InputError} on an unknown option or a bad value. */
export function settingsOf(options: Readonly<Record<string, string>>): Settings {
  const name = "swe-bench";
  checkOptions(name, Object.keys(SETTINGS), options);
  const { workspaces: folder, image } = options;
  const workspaces = workspacesOf({
    backend: oneOf(["auto", "docker", "wasmer"], name, "backend", options.backend ?? "auto"),
    engine: oneOf(["auto", "overlay", "commit"], name, "engine", options.engine ?? "auto"),
    network: oneOf(["on", "off"], name, "network", options.network ?? "off") === "on",
    ...(folder !== undefined && { workspaces: folder }),
    ...(image !== undefined && { image }),
  });
  const whole = (option: "turns" | "timeout" | "gradeTimeout" | "workers" | "formatErrors") => {
    const text = options[option];
    return text === undefined ? undefined : wholeFrom(1, name, option, Number(text));
  };
  const [turns, timeout, gradeTimeout, workers, formatErrors] = [
    whole("turns"),
    whole("timeout"),
    whole("gradeTimeout"),
    whole("workers"),
    whole("formatErrors"),
  ];
  return {
    workspaces,
    grader: createGrader({
      workspaces,
      rules: oneOf<RuleSet>(["v4.1", "v5"], name, "rules", options.rules ?? "v5"),
      ...(gradeTimeout !== undefined && { timeoutMs: gradeTimeout * 1000 }),
      ...(workers !== undefined && { workers }),
    }),
    scaffold: scaffoldOf(options.scaffold ?? "sweagent"),
    ...(turns !== undefined && { turns }),
    ...(timeout !== undefined && { timeoutMs: timeout * 1000 }),
    ...(formatErrors !== undefined && { formatErrors }),
  };
}

function scaffoldOf(name: string): Scaffold {
  const all: Readonly<Record<string, Scaffold>> = scaffolds;
  if (Object.hasOwn(all, name)) return all[name]!;
  throw new InputError(
    `swe-bench: expected \`scaffold\` to be one of ${Object.keys(all).join(", ")}, got ${name}`,
  );
}
