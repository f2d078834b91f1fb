import type { Policy } from "../policy.ts";
import type { Task } from "../task.ts";
import { checkedDecision, checkedStep, isGiven } from "./answers.ts";
import type { Branch } from "./branch.ts";
import { addUsage, type Budget } from "./budget.ts";
import { type Node, sameAction } from "./tree.ts";

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/**
 * One decision and its step. Once `signal` has aborted nothing more is metered and no step begun: a decision that
 * comes late changes neither the budget nor the Env.
 */
export async function takeTurn<Data, Obs, Act>(
  of: { readonly task: Task<Data>; readonly policy: Policy<Data, Obs, Act>; readonly budget: Budget },
  branch: Branch<Data, Obs, Act>,
  signal: AbortSignal,
): Promise<Node<Obs, Act>> {
  const { task, policy, budget } = of;
  const { path, rng, node: parent } = branch;
  const answer = await policy.act({ task, node: parent, branch: path, rng, signal });
  signal.throwIfAborted();
  const choice = checkedDecision(policy.name, answer);
  budget.turns++;
  addUsage(budget, choice.usage ?? undefined);
  const env = await branch.handle.ready();
  signal.throwIfAborted();
  budget.envSteps++;
  branch.stepping = true;
  const { observation, reward, end, info } = checkedStep(await env.step(choice.action));
  branch.stepping = false;
  const again = parent.choice !== undefined && sameAction(parent.choice.action, choice.action);
  const repeats = again ? parent.repeats + 1 : 1;
  const turn = parent.turn + 1;
  const node: Mutable<Node<Obs, Act>> = {
    parent,
    branch: path,
    turn,
    observation,
    choice,
    reward,
    repeats,
  };
  if (isGiven(end)) node.end = end!;
  if (info !== undefined) node.info = info;
  return node;
}
