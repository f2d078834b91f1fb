import type { Dialogue } from "../../../core/dialogue.ts";
import { type Node, pathTo } from "../../../core/rollout/tree.ts";
import type { SweInstance } from "../instance.ts";
import type { SweAction, SweObservation } from "../types.ts";
import { parseFunctionCall } from "./function-call.ts";

type SweNode = Node<SweObservation, SweAction>;

/** What differs between scaffolds that speak in function calls. */
export interface FunctionScaffold {
  readonly name: string;
  /** The tools and their parameters, in words. */
  readonly tools: string;
  /** The call that ends the episode. */
  readonly finish: string;
}

/**
 * Tokens of the response, replies and observations, after which the agent is told to hurry; rLLM gives up at 32,768.
 * They are counted where the policy says what its calls cost. Source: rLLM, swe_agent.py.
 */
const MANY_TOKENS = 28_000;

/** The conversation of rLLM's SWE agent, in words of our own. */
export function functionDialogue({
  name,
  tools,
  finish,
}: FunctionScaffold): Dialogue<SweInstance, SweObservation, SweAction> {
  return {
    name: `swe-bench/${name}`,
    opening: () => [{ role: "system", content: `${INTRODUCTION}\n\n${tools}\n\n${FORMAT}` }],
    observe(task, node) {
      const isFirst = node.parent === undefined;
      const body = isFirst ? frameOf(task.data.problemStatement, finish) : node.observation.text;
      return { role: "user", content: [body, stepsText(node), ...tokensText(node)].join("\n") };
    },
    parse: parseFunctionCall,
  };
}

const INTRODUCTION = `You are a programmer who repairs a repository in /testbed. You work through function calls: each of your replies makes one call, and the answer comes in the next message.

You have these functions:`;

const FORMAT = `Think first, in plain text, then end your reply with exactly one call in this form:

<function=NAME>
<parameter=KEY>VALUE</parameter>
<parameter=OTHER_KEY>
A value
of several lines
</parameter>
</function>

Only the first call of a reply is carried out. Every parameter that a function needs must be there. A value is taken as it is, without quoting; it cannot hold the closing tags themselves.`;

function frameOf(problem: string, finish: string): string {
  return `The repository in /testbed has the following issue:

<github_issue>
${problem}
</github_issue>

Change the source code so that the issue is solved. The tests that will judge your work are not here; leave the existing tests and the project's set-up as they are. Everything that the project needs is installed.

A good way to work:
1. Find the code that the issue is about, and read it.
2. Write a small script that shows the problem, and run it.
3. Find the cause, and make the smallest change that removes it, wherever it occurs.
4. Run your script again, think of other inputs that could go wrong, and run the tests near your change.
5. Remove your script, then end with ${finish}.`;
}

/** N counts the replies after the next one. Source: rLLM, swe_agent.py. */
function stepsText({ observation: { turnsLeft } }: SweNode): string {
  if (turnsLeft > 1) return `Steps Remaining: ${turnsLeft - 1}`;
  return "This is your last step. Whatever state the repository is in, submit it now.";
}

function tokensText(node: SweNode): string[] {
  const last = node.choice?.usage;
  const first = pathTo(node).find(({ choice }) => choice?.usage !== undefined)?.choice?.usage;
  if (!last || !first) return [];
  const numTokens = last.promptTokens + last.generatedTokens - first.promptTokens;
  return numTokens < MANY_TOKENS ? [] : ["Your tokens are nearly used up. Submit now."];
}
