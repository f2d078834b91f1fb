import type { Json, JsonObject } from "../../../core/json.ts";
import type { InfraFailure } from "./infra.ts";
import type { Grade } from "./outcome.ts";
import { byCodePoint } from "./parsers/python-text.ts";
import type { RuleSet } from "./rules.ts";

/**
 * The content of an instance's report.json; as text it is `pythonJson` of it, with no newline at its end.
 *
 * @param grade null where there was no patch (`model_patch` null).
 */
export function instanceReport(id: string, grade: Grade | null, rules: RuleSet): JsonObject {
  const infra = grade?.infra ?? null;
  return {
    [id]: {
      patch_is_None: grade === null,
      patch_exists: grade !== null,
      patch_successfully_applied: grade?.applied ?? false,
      resolved: grade?.resolved ?? false,
      ...(rules === "v5" && { infra_failure: infra?.tier === "environment" }),
      ...(rules === "v5" && infra !== null && { infra_failure_reason: infra.reason }),
      ...(grade?.testsStatus != null && { tests_status: grade.testsStatus }),
    },
  };
}

/** What a run report is made of. */
export interface RunFacts {
  /** Every instance of the data set. */
  readonly ids: readonly string[];
  /** `model_patch` by instance, as submitted. */
  readonly patches: ReadonlyMap<string, string | null>;
  /** Texts of report.json by instance, of those that have one. */
  readonly reports: ReadonlyMap<string, string>;
  /** `classifyInfra` by instance, of those whose logs show a failure; counted where not resolved. */
  readonly infra: ReadonlyMap<string, InfraFailure>;
  /** Names of what the run left behind. @default nothing is said of it */
  readonly left?: { readonly containers: readonly string[]; readonly images: readonly string[] };
}

/** The run report, schema version 2; as text it is `pythonJson` of it and a newline. */
export function runReport(facts: RunFacts, rules: RuleSet): JsonObject {
  const { ids, patches, reports, infra, left } = facts;
  const submitted = ids.filter((id) => patches.has(id));
  const [run, empty] = parted(submitted, (id) => (patches.get(id) ?? "") !== "");
  const completed = run.filter((id) => reports.has(id));
  const outcomes = new Map(run.map((id) => [id, outcomeOf(id, reports.get(id))]));
  const having = (outcome: Outcome) => run.filter((id) => outcomes.get(id) === outcome);
  const [resolved, unresolved, errors] = [having("resolved"), having("unresolved"), having("error")];
  const failed = [...unresolved, ...errors].filter((id) => infra.has(id)).sort(byCodePoint);
  const [environment, ambiguous] = parted(failed, (id) => infra.get(id)!.tier === "environment");
  const v5 = rules === "v5";
  return {
    total_instances: ids.length,
    submitted_instances: patches.size,
    completed_instances: count(completed),
    resolved_instances: count(resolved),
    unresolved_instances: count(unresolved),
    ...(v5 && {
      infra_failure_instances: count(environment),
      ambiguous_failure_instances: count(ambiguous),
    }),
    empty_patch_instances: count(empty),
    error_instances: count(errors),
    completed_ids: sorted(completed),
    incomplete_ids: sorted(ids.filter((id) => !patches.has(id))),
    empty_patch_ids: sorted(empty),
    submitted_ids: sorted([...patches.keys()]),
    resolved_ids: sorted(resolved),
    unresolved_ids: sorted(unresolved),
    ...(v5 && {
      infra_failure_ids: sorted(environment),
      ambiguous_failure_ids: sorted(ambiguous),
      failure_reasons: Object.fromEntries(failed.map((id) => [id, infra.get(id)!.reason])),
    }),
    error_ids: sorted(errors),
    schema_version: 2,
    ...(left && {
      unstopped_instances: count(left.containers),
      unstopped_containers: sorted(left.containers),
      unremoved_images: sorted(left.images),
    }),
  };
}

type Outcome = "resolved" | "unresolved" | "error";

/** A report that is missing, no JSON or not about the instance is an error. */
function outcomeOf(id: string, report: string | undefined): Outcome {
  try {
    const { resolved } = (JSON.parse(report ?? "") as Record<string, { readonly resolved?: Json }>)[id]!;
    if (resolved === undefined) return "error";
    return resolved === true ? "resolved" : "unresolved";
  } catch {
    return "error";
  }
}

function parted(ids: readonly string[], isFirst: (id: string) => boolean): [string[], string[]] {
  return [ids.filter(isFirst), ids.filter((id) => !isFirst(id))];
}

function sorted(ids: readonly string[]): string[] {
  return [...new Set(ids)].sort(byCodePoint);
}

function count(ids: readonly string[]): number {
  return new Set(ids).size;
}
