import { describe, expect, test } from "vitest";
import {
  defaultMethods,
  methodNames,
  variantNamed,
  variants,
  variantsOf,
} from "../../../cli/compare/methods.ts";
import { InputError } from "../../../core/errors.ts";

test("every variant has a name of its own, and is found by it", () => {
  const names = variants.map(({ method, setting }) => `${method} ${setting}`);
  expect(new Set(names).size).toBe(variants.length);
  for (const variant of variants) expect(variantNamed(variant.method, variant.setting)).toBe(variant);
  expect(defaultMethods).toEqual(["grpo", "dapo", "arpo", "tree-random", "patr"]);
  expect(methodNames).toEqual([...defaultMethods, "dynamic-sampling", "token-mean"]);
});

test("methods are picked in the order of the list of variants, whatever order they are asked for in", () => {
  expect(variantsOf(["patr", "grpo"]).map(({ method }) => method)).toEqual([
    ...Array(4).fill("grpo"),
    ...Array(3).fill("patr"),
  ]);
  expect(variantsOf(methodNames)).toEqual(variants);
  for (const name of ["ppo", "", "GRPO"]) {
    expect(() => variantsOf(["grpo", name])).toThrow(InputError);
    expect(() => variantsOf(["grpo", name])).toThrow(
      `--methods: expected some of ${methodNames.join(", ")}, got "${name}"`,
    );
  }
});

describe("what a variant rolls out", () => {
  test("group sizes are those that it is named after, and DAPO is dynamic sampling and the mean over turns", () => {
    for (const { method, setting, strategy, dynamicSampling = false, tokenMean = false } of variants) {
      expect(dynamicSampling).toBe(["dapo", "dynamic-sampling"].includes(method));
      expect(tokenMean).toBe(["dapo", "token-mean"].includes(method));
      if (method !== "grpo" && !dynamicSampling && !tokenMean) continue;
      expect(strategy(5)).toMatchObject({ name: "independent", roots: Number(setting.slice(2)) });
    }
  });

  test("Tree-Random and PATR have the same shapes, at the regime's interval", () => {
    const shapes = (method: string) =>
      variantsOf([method]).map(({ setting, strategy }) => {
        const { branches, children, top, maxLeaves, every, theta } = strategy(7).options as Record<
          string,
          unknown
        >;
        expect(setting).toBe(`k=${top} M=${children}`);
        return { branches, children, top, maxLeaves, every, theta };
      });
    expect(shapes("patr")).toEqual([
      { branches: 4, children: 2, top: 2, maxLeaves: null, every: 7, theta: 6 },
      { branches: 4, children: 3, top: 2, maxLeaves: 16, every: 7, theta: 6 },
      { branches: 4, children: 4, top: 1, maxLeaves: 16, every: 7, theta: 6 },
    ]);
    expect(shapes("tree-random")).toEqual(shapes("patr"));
  });

  test("ARPO grows from as many branches to as many leaves as it is named after", () => {
    for (const { setting, strategy } of variantsOf(["arpo"])) {
      const { branches, maxLeaves } = strategy(5).options as Record<string, unknown>;
      expect(setting).toBe(`${branches} to ${maxLeaves}`);
    }
  });
});
