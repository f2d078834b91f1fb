const ARPO_TOKENS = 20;
const ARPO_ALTERNATIVES = 10;

/**
 * ARPO's entropy of a reply: the sum of -p ln p over the ten likeliest tokens at each of its first 20 places, divided by
 * the logarithm of the vocabulary's size. Summed, not averaged, so it is not an entropy in nats.
 * Source: RUC-NLPIR/ARPO, vllm_rollout_with_tools.py.
 * @param topLogprobs natural logs, for each token of the reply those of the likeliest.
 * @param vocabularySize from 2.
 */
export function arpoEntropy(topLogprobs: readonly (readonly number[])[], vocabularySize: number): number {
  let sum = 0;
  for (const place of topLogprobs.slice(0, ARPO_TOKENS)) {
    const likeliest = place.toSorted((a, b) => b - a).slice(0, ARPO_ALTERNATIVES);
    for (const logprob of likeliest) sum -= Math.exp(logprob) * logprob;
  }
  return sum / Math.log(vocabularySize);
}
