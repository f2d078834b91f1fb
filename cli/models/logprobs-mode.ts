import { ServerError, type ServerFault } from "../../agents/model-server/errors.ts";
import type { ModelServer } from "../../agents/model-server/model-server.ts";
import { NO_LOGPROB } from "../../agents/model-server/reply.ts";

/** Ordinary tokens in every common vocabulary; enough of them to fill several blocks of a prefix cache. */
export const PROMPT: readonly number[] = Array.from({ length: 256 }, (_, at) => 40 + ((at * 7) % 80));

const ALTERNATIVES = 5;

/** Below this, alternatives are too much alike to tell a temperature from rounding. */
const LEAST_SPREAD = 0.01;

/**
 * Whether a token-exact server's log-probabilities are those before temperature (`raw`) or of the distribution that is
 * sampled from: one token is asked for at temperature 1 and at 2. Doubling the temperature halves the distance of the
 * likeliest tokens, or leaves it as it was; a difference that batches and caches make does neither. `unknown` if the
 * server gives no two alternatives, or no usable reply.
 * @throws {ServerError} if there is no answer.
 */
export async function logprobsMode(server: ModelServer): Promise<"raw" | "processed" | "unknown"> {
  const [one, two] = [await spreadAt(server, 1), await spreadAt(server, 2)];
  if (one === undefined || two === undefined || one < LEAST_SPREAD) return "unknown";
  return two > 0.75 * one ? "raw" : "processed";
}

/** How far apart the alternatives of a token are. */
async function spreadAt(server: ModelServer, temperature: number): Promise<number | undefined> {
  const likeliest = await server
    .sample({
      promptTokenIds: PROMPT,
      maxTokens: 1,
      temperature,
      topP: 1,
      topK: -1,
      seed: 1,
      stopTokenIds: [],
      topLogprobs: ALTERNATIVES,
    })
    .then(({ topLogprobs }) => topLogprobs?.[0]?.filter((logprob) => logprob > NO_LOGPROB) ?? [], refused);
  return likeliest.length < 2 ? undefined : likeliest[0]! - likeliest.at(-1)!;
}

const AWAY: ReadonlySet<ServerFault> = new Set(["unreachable", "timeout"]);

/** What is wrong beside its log-probabilities, the run itself will be told. */
function refused(error: unknown): readonly number[] {
  if (error instanceof ServerError && !AWAY.has(error.fault)) return [];
  throw error;
}
