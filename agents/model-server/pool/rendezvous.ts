import { deriveSeed } from "../../../core/rng.ts";

/**
 * All `places`, best for `key` first. Without one of them the order of the others stays the same, so that losing a
 * place moves only the keys it had, and its return brings back the same ones. A place gets keys in proportion to its
 * weight. Source: rendezvous hashing (Thaler and Ravishankar, 1998), weighted by -w / ln(u).
 */
export function rendezvous<T extends { readonly id: string; readonly weight: number }>(
  key: string,
  places: readonly T[],
): T[] {
  return places
    .map((place) => {
      const u = (deriveSeed("rendezvous", place.id, key) + 0.5) / 2 ** 53;
      return { place, score: -place.weight / Math.log(u) };
    })
    .sort((a, b) => b.score - a.score)
    .map(({ place }) => place);
}
