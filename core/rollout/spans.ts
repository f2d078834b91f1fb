import type { Scorer } from "../scorer.ts";
import type { Task } from "../task.ts";
import type { Tracer } from "../trace/tracer.ts";
import type { RolloutOptions } from "./engine.ts";
import type { Node, Tree } from "./tree.ts";

/** A branch, as a span sees it. */
interface At {
  readonly path: string;
  readonly node: Node<unknown, unknown>;
}

export function treeSpan<Data, Obs, Act>(
  tracer: Tracer,
  task: Task<Data>,
  { policy, strategy, seed }: RolloutOptions<Data, Obs, Act>,
  grow: () => Promise<Tree<Data, Obs, Act>>,
): Promise<Tree<Data, Obs, Act>> {
  const attributes = {
    "forkgym.task.id": task.id,
    "forkgym.seed": seed,
    "forkgym.policy": policy.name,
    "forkgym.strategy": strategy.name,
  };
  return tracer.span("forkgym.tree", attributes, async (span) => {
    const tree = await grow();
    span.set({
      "forkgym.turns": tree.budget.turns,
      "forkgym.leaves": tree.leaves.length,
      "forkgym.problems": tree.problems.length,
    });
    return tree;
  });
}

/** The turn after `at`: the decision and its step. */
export function turnSpan<Obs, Act>(
  tracer: Tracer,
  at: At,
  turn: () => Promise<Node<Obs, Act>>,
): Promise<Node<Obs, Act>> {
  const attributes = { "forkgym.branch": at.path, "forkgym.turn": at.node.turn + 1 };
  return tracer.span("forkgym.turn", attributes, async (span) => {
    const node = await turn();
    span.set({ "forkgym.reward": node.reward, "forkgym.end": node.end });
    return node;
  });
}

export function scoreSpan(
  tracer: Tracer,
  at: At,
  { name }: Pick<Scorer<never, never, never>, "name">,
  score: () => Promise<number | undefined>,
): Promise<number | undefined> {
  const attributes = { "forkgym.branch": at.path, "forkgym.turn": at.node.turn, "forkgym.scorer": name };
  return tracer.span("forkgym.score", attributes, async (span) => {
    const given = await score();
    span.set({ "forkgym.score": given });
    return given;
  });
}

/** The fork that a branch begins with. */
export function forkSpan<T>(tracer: Tracer, path: string, turn: number, fork: () => Promise<T>): Promise<T> {
  return tracer.span("forkgym.fork", { "forkgym.branch": path, "forkgym.turn": turn }, fork);
}
