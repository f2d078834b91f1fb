import { InputError } from "../core/errors.ts";
import type { Policy, PolicyTurn } from "../core/policy.ts";

/**
 * Plays what is written down: the n-th action on turn n, in every branch; or whatever a function says.
 * @throws {InputError} in `act`, when the list is used up.
 */
export function scripted<Data, Obs, Act>(
  script: readonly Act[] | ((turn: PolicyTurn<Data, Obs, Act>) => Act),
): Policy<Data, Obs, Act> {
  return {
    name: "scripted",
    act(turn) {
      if (typeof script === "function") return { action: script(turn) };
      if (turn.node.turn < script.length) return { action: script[turn.node.turn]! };
      throw new InputError(
        `scripted: no action for turn ${turn.node.turn + 1}, the script has ${script.length}`,
      );
    },
  };
}
