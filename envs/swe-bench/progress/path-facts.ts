import { canonicalJson } from "../../../core/json.ts";
import type { Node } from "../../../core/rollout/tree.ts";
import type { SweAction, SweObservation } from "../types.ts";
import { definingFiles, type IssueNames, isNamed } from "./issue-names.ts";
import { shareIn } from "./outcome.ts";
import { type ScriptStep, stepsOf } from "./script.ts";

/** The last edit of a file that stands; a chain, so that a path shares it with those that fork from it. */
interface Edit {
  readonly lines: number;
  readonly before: Edit | undefined;
}

/** What a path shows, up to one node. */
export interface PathFacts {
  readonly turns: number;
  /** Turns that looked at something for the first time. */
  readonly looks: number;
  /** Whether something was run, and failed, before the first edit. */
  readonly reproduced: boolean;
  /** Whether a file that the issue names was looked at or edited; and whether one was edited. */
  readonly lookedAtNamed: boolean;
  readonly editedNamed: boolean;
  /** Files of the repository with edits that were not taken back; agents' own scripts and tests are none. */
  readonly edited: ReadonlyMap<string, Edit>;
  readonly editedLines: number;
  /** Passing share of each thing that was run after the last edit. */
  readonly shares: ReadonlyMap<string, number>;
  /** Turns that did again what had been done since the last edit, or were no action at all. */
  readonly wasted: number;
  /** Files that define what the issue names. */
  readonly defining: ReadonlySet<string>;
  readonly sinceEdit: ReadonlySet<string>;
}

export const NO_FACTS: PathFacts = {
  turns: 0,
  looks: 0,
  reproduced: false,
  lookedAtNamed: false,
  editedNamed: false,
  edited: new Map(),
  editedLines: 0,
  shares: new Map(),
  wasted: 0,
  defining: new Set(),
  sinceEdit: new Set(),
};

/** The facts after one more turn. */
export function factsAfter(
  before: PathFacts,
  { choice, observation }: Node<SweObservation, SweAction>,
  names: IssueNames,
): PathFacts {
  if (choice === undefined) return before;
  const facts = { ...before, turns: before.turns + 1 };
  const { action } = choice;
  if (!("tool" in action)) return { ...facts, wasted: before.wasted + 1 };
  const key = canonicalJson(action);
  const steps = actionSteps(action, observation);
  // The same words each time, yet each takes back another edit.
  const isUndo = steps.some(({ kind }) => kind === "undo-edit");
  const isAgain = before.sinceEdit.has(key) && !isUndo;
  if (isAgain) facts.wasted++;
  for (const step of steps) apply(facts, step, observation, names);
  const looked = steps.flatMap((step) => (step.kind === "look" ? step.paths.map(inRepository) : []));
  if (steps.some(({ kind }) => kind === "look") && !isAgain) facts.looks++;
  const found = definingFiles(names, observation.text, looked).map(inRepository);
  if (found.length > 0) facts.defining = new Set([...facts.defining, ...found]);
  const isRelevant = (path: string): boolean => isNamed(names, path) || facts.defining.has(path);
  if (looked.some(isRelevant)) facts.lookedAtNamed = true;
  facts.editedNamed = [...facts.edited.keys()].some(isRelevant);
  facts.sinceEdit = new Set([...facts.sinceEdit, key]);
  return facts;
}

type Facts = { -readonly [key in keyof PathFacts]: PathFacts[key] };

function apply(facts: Facts, step: ActionStep, observation: SweObservation, names: IssueNames): void {
  if (step.kind === "edit") {
    const paths = step.paths.map(inRepository).filter((path) => isSource(path));
    if (paths.length === 0 && step.paths.length > 0) return;
    const edited = new Map(facts.edited);
    for (const path of paths.length > 0 ? paths : ["?"])
      edited.set(path, { lines: step.lines, before: edited.get(path) });
    facts.edited = edited;
    facts.editedLines += step.lines;
    facts.shares = new Map();
    facts.sinceEdit = new Set();
    if (paths.some((path) => isNamed(names, path))) facts.lookedAtNamed = true;
  } else if (step.kind === "undo") {
    const undone = new Set(step.paths.map(inRepository));
    facts.edited = new Map([...facts.edited].filter(([path]) => undone.size > 0 && !undone.has(path)));
    facts.shares = new Map();
    facts.sinceEdit = new Set();
  } else if (step.kind === "undo-edit") {
    const path = inRepository(step.path);
    const last = facts.edited.get(path);
    if (last === undefined) return;
    const edited = new Map(facts.edited);
    if (last.before === undefined) edited.delete(path);
    else edited.set(path, last.before);
    facts.edited = edited;
    facts.editedLines -= last.lines;
    facts.shares = new Map();
    facts.sinceEdit = new Set();
  } else if (step.kind === "run") {
    const share = shareIn(observation.text, observation.exitCode);
    if (share === undefined) return;
    if (facts.edited.size === 0 && share < 1) facts.reproduced = true;
    facts.shares = new Map([...facts.shares, [step.name, share]]);
  }
}

/** What an action does: steps of a script, or the last edit of a file that an editor takes back. */
type ActionStep = ScriptStep | { readonly kind: "undo-edit"; readonly path: string };

function actionSteps(
  { tool, arguments: args }: Extract<SweAction, { readonly tool: string }>,
  { text }: SweObservation,
): ActionStep[] {
  if (/bash$/.test(tool)) return stepsOf(args.cmd ?? args.command ?? "");
  if (tool === "search") return [{ kind: "look", paths: [] }];
  const { command, path } = args;
  if (path === undefined || !/editor$/.test(tool)) return [];
  if (command === "view") return [{ kind: "look", paths: [path] }];
  if (/^(ERROR|Error)\b/m.test(text)) return [];
  if (command === "undo_edit") return [{ kind: "undo-edit", path }];
  const lines = Math.max(
    ...[args.old_str, args.new_str, args.file_text].map((part) => part?.split("\n").length ?? 0),
  );
  return [{ kind: "edit", paths: [path], lines }];
}

function inRepository(path: string): string {
  return path.replace(/^\/testbed\//, "").replace(/^\.\//, "");
}

/** Whether a file is the repository's, and no script or test of the agent's own. */
function isSource(path: string): boolean {
  if (path.startsWith("/") || path.startsWith("..")) return false;
  const name = path.replace(/^.*\//, "");
  return (
    /\.\w+$/.test(name) &&
    !/repro|^tests?[_.]|_test\.|^debug|^check_|scratch|\.(txt|log|patch|diff|orig)$/i.test(name)
  );
}
