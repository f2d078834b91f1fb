import { wholeFrom } from "../../core/check.ts";
import type { Message } from "../../core/dialogue.ts";
import { InputError } from "../../core/errors.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import type { PostJson, PrmBranch, PrmResult, PrmServer } from "./prm-server.ts";
import { readListReply } from "./reply.ts";

/** Options of {@link vllmPooling}. */
export interface VllmPoolingOptions {
  readonly post: PostJson;
  readonly model: string;
  /**
   * The whole conversation as text or as tokens; it ends with the assistant's message and opens no further one.
   * @default ChatML, which is what Qwen's models use
   */
  readonly render?: (messages: readonly Message[]) => string | readonly number[];
  /**
   * The tokens of a rendered text, as the server makes them. With it, or with a `render` that gives tokens, the oldest
   * steps give way where an input is over `maxTokens`; without it the server refuses what is too long.
   * @default none
   */
  readonly encode?: (text: string) => readonly number[];
  /** Most tokens of an input, from 1; needs tokens that can be counted. @default 4096, the window of Qwen2.5-Math-PRM */
  readonly maxTokens?: number;
  /** What follows each step and is scored. @default "<extra_0>" */
  readonly separator?: string;
  /** The system message; none if empty. @default a sentence that asks to go step by step */
  readonly system?: string;
  /** Whether the server has applied its softmax or sigmoid. @default "probabilities" */
  readonly values?: "probabilities" | "logits";
  /** Further fields of the request, such as `{ task: "token_classify" }`, which differ between versions of vLLM. */
  readonly body?: JsonObject;
}

const PATH = "/pooling";

/** Probabilities of a pair add up to 1 within this. */
const ROUNDING = 0.02;

/**
 * A process reward model behind vLLM's `/pooling` with its STEP pooler, as Qwen2.5-Math-PRM-7B has it: the steps are
 * joined by a token that is scored, and each step comes back as [bad, good].
 * @throws {InputError} on bad options.
 */
export function vllmPooling(options: VllmPoolingOptions): PrmServer {
  const {
    post,
    model,
    render = chatMl,
    separator = "<extra_0>",
    body = {},
    values = "probabilities",
  } = options;
  const { system = "Solve the task step by step.", encode, maxTokens = 4096 } = options;
  wholeFrom(1, "vllmPooling", "maxTokens", maxTokens);
  if (options.maxTokens !== undefined && encode === undefined && options.render === undefined) {
    throw new InputError(
      "vllmPooling: `maxTokens` needs `encode`, which makes tokens of a text to count them",
    );
  }

  function inputOf({ problem, steps }: PrmBranch): string | readonly number[] {
    return render([
      ...(system === "" ? [] : [{ role: "system", content: system } as const]),
      { role: "user", content: problem },
      { role: "assistant", content: steps.map((step) => step + separator).join("") },
    ]);
  }

  function isTooLong(input: string | readonly number[]): boolean {
    const tokens = typeof input === "string" ? encode?.(input) : input;
    return tokens !== undefined && tokens.length > maxTokens;
  }

  /** The input with as many of the newest steps as fit, and how many they are; undefined if not even one does. */
  function fitted({
    problem,
    steps,
  }: PrmBranch): { readonly input: Json; readonly steps: number } | undefined {
    for (let first = 0; first < steps.length; first++) {
      const input = inputOf({ problem, steps: steps.slice(first) });
      if (!isTooLong(input)) return { input, steps: steps.length - first };
    }
    return undefined;
  }

  return {
    name: `pooling ${model}`,
    async score(branches, signal) {
      const inputs = branches.map(fitted);
      const sent = inputs.filter((input) => input !== undefined);
      if (sent.length === 0) return { results: inputs.map(() => tooLong(PATH, maxTokens)), promptTokens: 0 };
      const reply = await post(PATH, { ...body, model, input: sent.map(({ input }) => input) }, signal);
      const { items, ...tokens } = readListReply(reply, PATH, sent.length);
      let next = 0;
      const results = inputs.map((input) =>
        input === undefined ? tooLong(PATH, maxTokens) : stepScores(items[next++]!.data, input.steps, values),
      );
      return { results, ...tokens };
    },
  };
}

/** Of a branch that does not fit, whatever is left out. */
export function tooLong(path: string, maxTokens: number): PrmResult {
  return { unreadable: `${path}: the problem and the last step are over ${maxTokens} tokens` };
}

function stepScores(data: unknown, steps: number, values: "probabilities" | "logits"): PrmResult {
  if (!Array.isArray(data) || data.length !== steps) {
    const got = Array.isArray(data) ? data.length : typeof data;
    return { unreadable: `${PATH}: expected the scores of ${steps} steps, got ${got}` };
  }
  const scores = data.map((step) => scoreOf(Array.isArray(step) ? step : [step], values));
  if (scores.every((score) => score !== undefined)) return scores;
  const bad = data[scores.indexOf(undefined)];
  return { unreadable: `${PATH}: expected ${values} of a step, got ${JSON.stringify(bad)?.slice(0, 100)}` };
}

/** The probability that a step is good: of a pair the second, of a single value that one. */
function scoreOf(step: readonly unknown[], values: "probabilities" | "logits"): number | undefined {
  if (step.length < 1 || step.length > 2 || !step.every((value) => Number.isFinite(value))) return undefined;
  const [first, second] = step as readonly [number, number?];
  if (values === "logits") return sigmoid(second === undefined ? first : second - first);
  const good = second ?? first;
  const paired = second === undefined || Math.abs(first + second - 1) <= ROUNDING;
  return paired && good >= 0 && good <= 1 ? good : undefined;
}

export function sigmoid(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}

function chatMl(messages: readonly Message[]): string {
  return messages.map(({ role, content }) => `<|im_start|>${role}\n${content}<|im_end|>\n`).join("");
}
