import type { Json } from "../../core/json.ts";
import type { Policy } from "../../core/policy.ts";
import type { Task } from "../../core/task.ts";
import { lookCommand, restoreCommand, tryCommand } from "./commands.ts";
import { History, type Step } from "./history.ts";
import { draw } from "./search.ts";

/** How {@link repairPolicy} reads an environment and acts in it. */
export interface RepairTools<Data, Obs, Act> {
  /** The issue's text. */
  issueOf(task: Task<Data>): string;
  /** Runs a script in the repository's folder, with a shell that has sed and Python 3.6 or later. */
  bash(script: string): Act;
  /** Hands the repository in as it stands. */
  submit(): Act;
  /** What the last action showed, and how many turns are left; with 1 left the policy submits. */
  read(observation: Obs): { readonly text: string; readonly turnsLeft: number };
  /** @default "python3" */
  readonly python?: string;
}

/** A first run that was cut off, by a time-out of a cold machine say, is done once more. */
const LOOKS = 2;

/**
 * Repairs a Python repository by trial and error: a baseline without a language model that exercises trees, scorers
 * and sandboxes on a CPU. It learns nothing, reads no hidden test, and finds bugs of one line that an issue shows by
 * running code; others it hands in unsolved.
 *
 * Its first turn takes the reproduction out of the issue (`assert`, `>>>`, comments that say what should be), runs it
 * and the visible tests, and traces which lines the failing checks run. Every further turn draws one mutation of one
 * suspicious line, applies it, runs the checks, and keeps it if more of the issue's checks pass and nothing that
 * passed fails; else the same command takes it back. What stands in the repository is therefore the best so far at
 * any time. It submits when every check passes, when nothing is left to try, or with one turn left.
 *
 * An edit that was kept is built on. No mutation is tried twice on a path; branches that fork draw on from their own
 * streams, so siblings try different ones. All that it knows comes from its own records and the observations on the
 * node's path. `logprob` and `entropy` are those of the draw, and 0 where there was nothing to choose; `sample` has
 * what was tried.
 *
 * Its files are in `/tmp/repair` of the sandbox. The tool must show at least 8,000 characters of one long line.
 */
export function repairPolicy<Data, Obs, Act>(tools: RepairTools<Data, Obs, Act>): Policy<Data, Obs, Act> {
  const python = tools.python ?? "python3";
  const history = new History<Obs>((observation) => tools.read(observation).text);
  return {
    name: "repair",
    act({ task, node, rng }) {
      const { looks, verdict, spots, tried, unsure } = history.at(node);
      const certain = (action: Act, sample: Step) => ({
        action,
        logprob: 0,
        entropy: 0,
        sample: sample as unknown as Json,
      });
      const submit = (why: string) => certain(tools.submit(), { step: "submit", why });
      const { turnsLeft } = tools.read(node.observation);
      if (turnsLeft <= 1) return submit("no turns left");
      if (looks === 0 || (verdict === undefined && looks < LOOKS)) {
        return certain(tools.bash(lookCommand(tools.issueOf(task), python)), { step: "look" });
      }
      if (unsure !== undefined) {
        return certain(tools.bash(restoreCommand(unsure)), { step: "restore" });
      }
      if (verdict === "solved") return submit("every check passes");
      if (verdict === undefined) return submit("the checks do not run");
      if (verdict === "blind") return submit("no check fails");
      const drawn = draw(spots, tried, rng);
      if (drawn === undefined) return submit("nothing left to try");
      const { attempt, key, logprob, entropy } = drawn;
      const sample: Step = { step: "try", attempt, key };
      return {
        action: tools.bash(tryCommand(attempt, python)),
        logprob,
        entropy,
        sample: sample as unknown as Json,
      };
    },
  };
}
