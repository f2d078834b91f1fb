import type { Transcript } from "../../../agents/judge/index.ts";
import type { ModelServer, Sample, SampleRequest } from "../../../agents/model-server/model-server.ts";
import type { Node } from "../../../core/rollout/tree.ts";
import type { ScoreInput } from "../../../core/scorer.ts";

export type WordNode = Node<string, string>;

/** A branch in which `turns` say [action, observation]. */
export function branchOf(turns: readonly (readonly [string, string])[], observation = "start"): WordNode {
  let node: WordNode = { branch: "0", turn: 0, observation, reward: 0, repeats: 0 };
  for (const [action, seen] of turns) {
    node = {
      parent: node,
      branch: "0",
      turn: node.turn + 1,
      observation: seen,
      choice: { action },
      reward: 0,
      repeats: 1,
    };
  }
  return node;
}

export const TASK = { id: "t", data: { issue: "Division by zero in mean([])" } };

export type WordInput = ScoreInput<{ issue: string }, string, string>;

export function inputOf(node: WordNode, signal: AbortSignal = new AbortController().signal): WordInput {
  return { task: TASK, node, signal };
}

export function transcriptOf(task: { data: { issue: string } }, node: WordNode): Transcript {
  const steps = [];
  for (let at = node; at.parent !== undefined; at = at.parent) {
    steps.push({ action: at.choice!.action, observation: at.observation });
  }
  return { issue: task.data.issue, steps: steps.reverse() };
}

export function sampleOf(text: string, more: Partial<Sample> = {}): Sample {
  return {
    text,
    finishReason: "stop",
    promptTokens: 100,
    generatedTokens: 10,
    cachedTokens: 60,
    endpoint: "http://fake",
    ...more,
  };
}

export const rated = (diagnosis: number | string, editing: number | string, verification: number | string) =>
  `Looks fine.\ndiagnosis: ${diagnosis}\nediting: ${editing}\nverification: ${verification}`;

/** A server that says what `reply` says, and remembers what it was asked. */
export function scriptedServer(
  reply: (request: SampleRequest, call: number, signal?: AbortSignal) => Sample | Promise<Sample>,
  tokenExact = false,
): ModelServer & { readonly requests: SampleRequest[] } {
  const requests: SampleRequest[] = [];
  return {
    name: "fake model",
    tokenExact,
    requests,
    async sample(request, signal) {
      requests.push(request);
      return reply(request, requests.length - 1, signal);
    },
    close: async () => {},
  };
}
