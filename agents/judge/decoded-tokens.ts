import type { Sample } from "../model-server/model-server.ts";
import type { SampledToken } from "./expectation.ts";

/**
 * Tokens as a judge's `tokens` option wants them, for token-exact servers that name the alternatives. `decode` gives
 * one token's text, special tokens included. Replies without ids or alternatives have no tokens.
 */
export function decodedTokens(
  decode: (id: number) => string,
): (sample: Sample) => readonly SampledToken[] | undefined {
  return ({ tokenIds, topTokenIds, topLogprobs }) => {
    if (tokenIds === undefined || topTokenIds === undefined || topLogprobs === undefined) return undefined;
    return tokenIds.map((id, place) => ({
      text: decode(id),
      alternatives: (topTokenIds[place] ?? []).map((other, rank) => ({
        text: decode(other),
        logprob: topLogprobs[place]?.[rank] ?? Number.NEGATIVE_INFINITY,
      })),
    }));
  };
}
