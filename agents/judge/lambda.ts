import { within } from "../../core/check.ts";
import { type MixOptions, mix, type Scorer } from "../../core/scorer.ts";

/**
 * s = lambda * judge + (1 - lambda) * heuristic (PATR, arXiv 2607.15610, which does not say its lambda). Where one of
 * the two has no score, the other's counts alone, unless `missing` says that there is then none. At 0 and at 1 one of
 * them is not asked at all.
 * @throws {InputError} unless `lambda` is from 0 to 1, or on an unknown option.
 */
export function byLambda<Data, Obs, Act>(
  lambda: number,
  judge: Scorer<Data, Obs, Act>,
  heuristic: Scorer<Data, Obs, Act>,
  options: MixOptions = {},
): Scorer<Data, Obs, Act> {
  within(0, 1, "byLambda", "lambda", lambda);
  if (lambda === 0) return heuristic;
  if (lambda === 1) return judge;
  return mix(
    [
      { scorer: judge, weight: lambda },
      { scorer: heuristic, weight: 1 - lambda },
    ],
    options,
  );
}
