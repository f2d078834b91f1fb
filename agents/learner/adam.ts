import { wholeFrom } from "../../core/check.ts";
import { ForkGymError, InputError } from "../../core/errors.ts";

export interface AdamOptions {
  /** @default 3e-3 */
  readonly learningRate?: number;
  /** Decay of the mean of gradients, from 0 to below 1. @default 0.9 */
  readonly beta1?: number;
  /** Decay of the mean of squared gradients, from 0 to below 1. @default 0.999 */
  readonly beta2?: number;
  /** @default 1e-8 */
  readonly epsilon?: number;
  /** A gradient longer than this (2-norm over all parameters) is scaled down to it. @default no limit */
  readonly maxGradNorm?: number;
}

/** The moments as plain JSON. */
export type AdamState = {
  readonly steps: number;
  readonly m: readonly number[];
  readonly v: readonly number[];
};

export interface Adam {
  /**
   * One step down the gradient, in place.
   * @returns the gradient's 2-norm before it was scaled.
   * @throws {ForkGymError} on a gradient that is not finite; nothing has changed then.
   */
  step(parameters: Float64Array, gradient: Float64Array): number;
  save(): AdamState;
  /** @throws {InputError} on a state of another size, or with a number that is none; nothing has changed then. */
  load(state: AdamState): void;
}

/**
 * Adam (arXiv 1412.6980) with bias correction, for a fixed number of parameters.
 * @throws {InputError} on an option out of its bounds.
 */
export function createAdam(size: number, options: AdamOptions = {}): Adam {
  const { learningRate = 3e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8 } = options;
  const { maxGradNorm = Number.POSITIVE_INFINITY } = options;
  checkOption("learningRate", learningRate, learningRate > 0 && Number.isFinite(learningRate));
  checkOption("beta1", beta1, beta1 >= 0 && beta1 < 1);
  checkOption("beta2", beta2, beta2 >= 0 && beta2 < 1);
  checkOption("epsilon", epsilon, epsilon > 0 && Number.isFinite(epsilon));
  checkOption("maxGradNorm", maxGradNorm, maxGradNorm > 0);
  const m = new Float64Array(size);
  const v = new Float64Array(size);
  let steps = 0;

  return {
    step(parameters, gradient) {
      let squares = 0;
      for (let i = 0; i < size; i++) squares += gradient[i]! * gradient[i]!;
      const norm = Math.sqrt(squares);
      if (!Number.isFinite(norm)) throw new ForkGymError(`adam: the gradient's norm is ${norm}`);
      const scale = norm > maxGradNorm ? maxGradNorm / norm : 1;
      steps++;
      const rate = learningRate / (1 - beta1 ** steps);
      const correction2 = 1 / (1 - beta2 ** steps);
      for (let i = 0; i < size; i++) {
        const g = gradient[i]! * scale;
        m[i] = beta1 * m[i]! + (1 - beta1) * g;
        v[i] = beta2 * v[i]! + (1 - beta2) * g * g;
        parameters[i]! -= (rate * m[i]!) / (Math.sqrt(v[i]! * correction2) + epsilon);
      }
      return norm;
    },
    save: () => ({ steps, m: Array.from(m), v: Array.from(v) }),
    load(state) {
      wholeFrom(0, "adam", "steps", state?.steps);
      for (const key of ["m", "v"] as const) {
        const given: unknown = state?.[key];
        if (!Array.isArray(given))
          throw new InputError(`adam: expected \`${key}\` of ${size} numbers, got none`);
        if (given.length !== size) {
          throw new InputError(`adam: expected \`${key}\` of ${size} numbers, got ${given.length}`);
        }
        const least = key === "v" ? 0 : Number.NEGATIVE_INFINITY;
        const bad = given.findIndex((value) => !(Number.isFinite(value) && value >= least));
        if (bad >= 0) {
          const kind = key === "v" ? "finite numbers from 0 up" : "finite numbers";
          throw new InputError(`adam: expected \`${key}\` to be ${kind}, got ${given[bad]} at index ${bad}`);
        }
      }
      m.set(state.m);
      v.set(state.v);
      steps = state.steps;
    },
  };
}

function checkOption(name: string, value: number, good: boolean): void {
  if (!good) throw new InputError(`adam: \`${name}\` is out of its bounds, got ${value}`);
}
