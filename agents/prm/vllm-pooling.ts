import type { Message } from "../../core/dialogue.ts";
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
  const { system = "Solve the task step by step." } = options;

  function inputOf({ problem, steps }: PrmBranch): Json {
    return render([
      ...(system === "" ? [] : [{ role: "system", content: system } as const]),
      { role: "user", content: problem },
      { role: "assistant", content: steps.map((step) => step + separator).join("") },
    ]);
  }

  return {
    name: `pooling ${model}`,
    async score(branches, signal) {
      const reply = await post(PATH, { ...body, model, input: branches.map(inputOf) }, signal);
      const { items, ...tokens } = readListReply(reply, PATH, branches.length);
      const results = branches.map(({ steps }, index) =>
        stepScores(items[index]!.data, steps.length, values),
      );
      return { results, ...tokens };
    },
  };
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
