import { wholeFrom } from "../../core/check.ts";
import { InputError } from "../../core/errors.ts";
import type { PostJson, PrmBranch, PrmResult, PrmServer } from "./prm-server.ts";
import { readListReply } from "./reply.ts";
import { sigmoid, tooLong } from "./vllm-pooling.ts";

/** Options of {@link skyworkEmbeddings}. */
export interface SkyworkEmbeddingsOptions {
  readonly post: PostJson;
  readonly model: string;
  /** The model's tokenizer, with no tokens added of its own; it reads special tokens as such. */
  readonly encode: (text: string) => readonly number[];
  /** The tokenizer's `bos_token`, "" if it has none. */
  readonly bos: string;
  /** Most tokens of an input; the oldest steps give way. @default 4096, the model's window */
  readonly maxTokens?: number;
}

const PATH = "/v1/embeddings";

/** A branch in tokens, and where its steps end. */
interface Layout {
  readonly ids: readonly number[];
  readonly ends: readonly number[];
}

/**
 * Skywork-o1-Open-PRM behind its plugin for vLLM (SkyworkAI/skywork-o1-prm-inference), which answers
 * `/v1/embeddings` with one raw logit per token. An input is bos + problem + newline, then each step and a newline; a
 * step's score is the sigmoid of the logit at its newline. A newline inside a step is no end of a step here.
 * @throws {InputError} on bad options.
 */
export function skyworkEmbeddings(options: SkyworkEmbeddingsOptions): PrmServer {
  const { post, model, encode, bos, maxTokens = 4096 } = options;
  wholeFrom(1, "skyworkEmbeddings", "maxTokens", maxTokens);
  const newline = encode("\n").at(-1);
  if (newline === undefined) throw new InputError("skyworkEmbeddings: `encode` has no token for a newline");

  function layoutOf({ problem, steps }: PrmBranch): Layout | undefined {
    const prompt = encode(`${bos}${problem}\n`);
    const encoded = steps.map((step) => [...(step === "" ? [] : encode(step)), newline!]);
    let length = encoded.reduce((sum, { length }) => sum + length, prompt.length);
    let first = 0;
    while (length > maxTokens && first < encoded.length) length -= encoded[first++]!.length;
    if (first === encoded.length) return undefined;
    let end = prompt.length - 1;
    const kept = encoded.slice(first);
    return { ids: [...prompt, ...kept.flat()], ends: kept.map(({ length }) => (end += length)) };
  }

  return {
    name: `skywork ${model}`,
    async score(branches, signal) {
      const layouts = branches.map(layoutOf);
      const sent = layouts.filter((layout) => layout !== undefined);
      if (sent.length === 0) return { results: layouts.map(() => tooLong(PATH, maxTokens)), promptTokens: 0 };
      const body = { model, input: sent.map(({ ids }) => ids), encoding_format: "float" };
      const { items, ...tokens } = readListReply(await post(PATH, body, signal), PATH, sent.length);
      let next = 0;
      const results = layouts.map((layout) =>
        layout === undefined ? tooLong(PATH, maxTokens) : stepScores(items[next++]!.embedding, layout),
      );
      return { results, ...tokens };
    },
  };
}

function stepScores(logits: unknown, { ids, ends }: Layout): PrmResult {
  if (!Array.isArray(logits) || logits.length !== ids.length) {
    const got = Array.isArray(logits) ? logits.length : typeof logits;
    return { unreadable: `${PATH}: expected a logit for each of ${ids.length} tokens, got ${got}` };
  }
  const flagged = ends.map((end) => logits[end] as unknown);
  if (flagged.every((logit) => Number.isFinite(logit)))
    return flagged.map((logit) => sigmoid(logit as number));
  return { unreadable: `${PATH}: a step's logit is no number` };
}
