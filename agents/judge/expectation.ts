/** A token of a reply with what else might have stood in its place. */
export interface SampledToken {
  readonly text: string;
  /** The likeliest tokens at this place, the sampled one among them; natural logs of their probabilities. */
  readonly alternatives: readonly { readonly text: string; readonly logprob: number }[];
}

/** Below this, the digits are not what the model was about to say, and their proportions mean little. */
const LEAST_MASS = 0.5;

/** Servers round; a log-probability above this is none. */
const ROUNDING = 1e-3;

/**
 * The mean rating at a token that is one digit, each digit up to `scale` (at most 9) weighted by its probability.
 * Undefined if the token is no digit, or if all digits together have less than half of the probability.
 */
export function expectedDigit(token: SampledToken, scale: number): number | undefined {
  if (digitOf(token.text, scale) === undefined) return undefined;
  let mass = 0;
  let sum = 0;
  for (const { text, logprob } of token.alternatives) {
    const digit = digitOf(text, scale);
    if (digit === undefined || !(logprob <= ROUNDING)) continue;
    const probability = Math.exp(logprob);
    mass += probability;
    sum += probability * digit;
  }
  return mass >= LEAST_MASS ? sum / mass : undefined;
}

/** The token in which the character at `offset` of the joined texts lies. */
export function tokenAt(tokens: readonly SampledToken[], offset: number): SampledToken | undefined {
  let end = 0;
  return tokens.find(({ text }) => {
    end += text.length;
    return offset < end;
  });
}

function digitOf(text: string, scale: number): number | undefined {
  const trimmed = text.trim();
  return /^\d$/.test(trimmed) && Number(trimmed) <= scale ? Number(trimmed) : undefined;
}
