import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InputError } from "../../core/errors.ts";
import { type DynamicSamplingOptions, dynamicSampling } from "../../core/training/dynamic-sampling.ts";

const g = (...rewards: number[]) => ({ rewards });

describe("dynamicSampling", () => {
  it("keeps groups whose rewards differ and filters the uniform ones", () => {
    const groups = [g(0, 1), g(0, 0), g(1, 1, 1), g(0, 0, 0, 1, 0, 0)];
    const { kept, filtered } = dynamicSampling(groups);
    expect(kept).toEqual([groups[0], groups[3]]);
    expect(filtered).toEqual([groups[1], groups[2]]);
  });

  it("keeps a group of one sample by default, as verl does, and drops it when told to", () => {
    expect(dynamicSampling([g(1)]).kept).toHaveLength(1);
    expect(dynamicSampling([g(1)], { singletons: "drop" })).toEqual({ kept: [], filtered: [g(1)] });
  });

  it("filters what failures cut to one sample, and keeps larger groups that failures cut", () => {
    const [remnant, alone] = [g(1), g(0)].map((group, at) => ({ ...group, complete: at === 1 }));
    const cut = { ...g(0, 1), complete: false };
    expect(dynamicSampling([remnant!, alone!, cut])).toEqual({ kept: [alone, cut], filtered: [remnant] });
  });

  it("refuses an option that there is not, and a value", () => {
    const call = (options: object) => () => dynamicSampling([g(1)], options as DynamicSamplingOptions);
    expect(call({ singleton: "drop" })).toThrow(InputError);
    expect(call({ singleton: "drop" })).toThrow("dynamicSampling: no option `singleton`; it has singletons");
    expect(call({ singletons: "no" })).toThrow(
      "dynamicSampling: expected `singletons` to be one of keep, drop, got no",
    );
  });

  it("filters a group without rewards", () => {
    expect(dynamicSampling([g()])).toEqual({ kept: [], filtered: [g()] });
  });

  it("returns every group whole, once, in order", () => {
    const groups = fc.array(
      fc.array(fc.constantFrom(0, 1), { maxLength: 5 }).map((rewards) => ({ rewards })),
    );
    fc.assert(
      fc.property(groups, (input) => {
        const { kept, filtered } = dynamicSampling(input);
        expect(input.filter((group) => kept.includes(group))).toEqual(kept);
        expect(input.filter((group) => filtered.includes(group))).toEqual(filtered);
        expect(kept.length + filtered.length).toBe(input.length);
      }),
    );
  });
});
