import { InputError } from "../../core/errors.ts";
import { canonicalJson } from "../../core/json.ts";

/**
 * Finds the index of an action in a list of distinct actions; equality is that of `sameAction`.
 * @throws {InputError} on fewer than two actions or a repeated one, and (the returned function) on an action
 * that is not in the list.
 */
export function actionIndex<Act>(actions: readonly Act[]): (action: Act) => number {
  // The mark keeps an object apart from a string that happens to be its JSON.
  const keyOf = (action: Act): unknown =>
    typeof action === "object"
      ? `object ${canonicalJson(action)}`
      : typeof action === "string"
        ? `"${action}`
        : action;
  const indices = new Map(actions.map((action, index) => [keyOf(action), index]));
  if (actions.length < 2 || indices.size < actions.length) {
    throw new InputError(
      `learner: expected \`actions\` to be two or more distinct ones, got ${JSON.stringify(actions)}`,
    );
  }
  return (action) => {
    const index = indices.get(keyOf(action));
    if (index === undefined) {
      throw new InputError(`learner: ${JSON.stringify(action)} is not one of \`actions\``);
    }
    return index;
  };
}
