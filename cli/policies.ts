import { readFile } from "node:fs/promises";
import { createLearner, type LearnerState } from "../agents/learner/learner.ts";
import { random } from "../agents/random.ts";
import { repairPolicy } from "../agents/repair/repair.ts";
import { InputError, messageOf } from "../core/errors.ts";
import { canonicalJson, type Json, sha256 } from "../core/json.ts";
import type { Policy } from "../core/policy.ts";
import type { AnyEnvKit } from "../envs/kit.ts";
import type { SweInstance } from "../envs/swe-bench/instance.ts";
import type { SweAction, SweObservation } from "../envs/swe-bench/types.ts";
import type { Live } from "./models/live.ts";
import type { ModelOptions } from "./models/options.ts";
import { isRoute, routeNames } from "./models/routes.ts";

/** A policy, and what identifies it in a run's config. */
export interface NamedPolicy {
  readonly policy: Policy<unknown, unknown, unknown>;
  readonly digest: Json;
  /** What to show of it while it plays, where there is something. */
  readonly live?: Live;
  /** Ends what it holds open. */
  close?(): Promise<void>;
}

/** What decides on a policy beside the word for it. */
export interface PolicyOptions extends ModelOptions {
  readonly policy: string;
  /** Of SWE-bench, whose tools the repair policy calls. @default "sweagent" */
  readonly scaffold?: string | undefined;
  /** The first option of a model that was given: an error with any other policy. */
  readonly given?: string | undefined;
}

/** The policy that `policy` names; what there is to tell of it goes to `note`. @throws {InputError} */
export async function policyOf(
  kit: AnyEnvKit,
  { policy: text, scaffold = "sweagent", given, ...model }: PolicyOptions,
  note: (line: string) => void,
): Promise<NamedPolicy> {
  if (isRoute(text)) {
    // Tokenizers and templates take their time to load: only who needs them waits.
    const { modelPolicyOf } = await import("./models/model-policy.ts");
    return modelPolicyOf(text, kit, model, note);
  }
  if (given !== undefined) {
    throw new InputError(
      `${given}: it is for a model (--policy ${routeNames.join(", ")}), got --policy ${text}`,
    );
  }
  if (text === "random") return { policy: random((rng) => kit.randomAction(rng)), digest: "random" };
  if (text === "repair") {
    if (kit.name !== "swe-bench") throw new InputError(`--policy: repair plays swe-bench, not ${kit.name}`);
    return { policy: repair(scaffold) as Policy<unknown, unknown, unknown>, digest: "repair" };
  }
  if (!text.startsWith("learner:")) {
    throw new InputError(
      `--policy: expected random, repair, learner:FILE, ${routeNames.join(", ")}, got "${text}"`,
    );
  }
  if (kit.learning === undefined)
    throw new InputError(`--policy: ${kit.name} has no features for the learner`);
  const state = await readLearner(text.slice("learner:".length));
  const learner = createLearner<unknown, unknown, unknown>({
    ...kit.learning,
    seed: 0,
    hidden: state.hidden,
  });
  learner.load(state);
  return { policy: learner, digest: `learner:${sha256(canonicalJson(state.parameters))}` };
}

/** The repair policy with the tools of a scaffold. */
function repair(scaffold: string): Policy<SweInstance, SweObservation, SweAction> {
  const submit = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT";
  return repairPolicy({
    issueOf: ({ data }) => data.problemStatement,
    bash: (script): SweAction =>
      scaffold === "mini"
        ? { tool: "bash", arguments: { command: script } }
        : { tool: "execute_bash", arguments: scaffold === "r2egym" ? { cmd: script } : { command: script } },
    submit: (): SweAction => {
      if (scaffold === "mini") return { tool: "bash", arguments: { command: submit } };
      return scaffold === "r2egym"
        ? { tool: "finish", arguments: { command: "submit" } }
        : { tool: "submit", arguments: {} };
    },
    read: ({ text, turnsLeft }) => ({ text, turnsLeft }),
  });
}

/** Reads weights that `forkgym train` or `forkgym demo` saved. @throws {InputError} */
async function readLearner(file: string): Promise<LearnerState> {
  try {
    const value = JSON.parse(await readFile(file, "utf8")) as { readonly learner?: LearnerState };
    if (value.learner !== undefined) return value.learner;
  } catch (error) {
    throw new InputError(`--policy: cannot read ${file}: ${messageOf(error)}`);
  }
  throw new InputError(`--policy: ${file} holds no \`learner\`; expected the learner.json of a training run`);
}
