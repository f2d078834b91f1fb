import type { Policy } from "../core/policy.ts";
import type { Rng } from "../core/rng.ts";

/** Draws every action from `sample`, whatever the observation. No log-probabilities: it is not to be trained. */
export function random<Data, Obs, Act>(sample: (rng: Rng) => Act): Policy<Data, Obs, Act> {
  return { name: "random", act: ({ rng }) => ({ action: sample(rng) }) };
}
