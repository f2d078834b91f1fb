import { describe, expect, test } from "vitest";
import { parseSpec, strategyNames, strategyOf } from "../../cli/spec.ts";
import { InputError } from "../../core/errors.ts";

describe("a spec is a name and options", () => {
  test.each([
    ["patr", { name: "patr", options: {} }],
    ["patr:", { name: "patr", options: {} }],
    ["", { name: "", options: {} }],
    ["patr:every=4,top=1", { name: "patr", options: { every: 4, top: 1 } }],
    ["p:a=-0.5,b=1e3,c=0", { name: "p", options: { a: -0.5, b: 1000, c: 0 } }],
    ["p:a=true,b=false", { name: "p", options: { a: true, b: false } }],
    ["p:a=none,b=null", { name: "p", options: { a: null, b: null } }],
    ["p:a=kept,b=,c=1x", { name: "p", options: { a: "kept", b: "", c: "1x" } }],
    ["p:url=http://h:1/?q=1", { name: "p", options: { url: "http://h:1/?q=1" } }],
    ["p:a=Infinity,b=NaN", { name: "p", options: { a: "Infinity", b: "NaN" } }],
  ])("%s", (text, spec) => {
    expect(parseSpec(text)).toEqual(spec);
  });

  test.each(["patr:every", "patr:=4", "patr:every=4,", "patr:every=4,top"])(
    "an option without name or value is refused: %s",
    (text) => {
      expect(() => parseSpec(text)).toThrow(InputError);
      expect(() => parseSpec(text)).toThrow("patr: expected options as name=value, separated by commas, got");
    },
  );
});

test("an option that is given twice is refused, also with the same value", () => {
  for (const text of ["patr:every=3,every=4", "patr:every=3,top=1,every=3"]) {
    expect(() => parseSpec(text)).toThrow(InputError);
    expect(() => parseSpec(text)).toThrow("patr: option `every` is given twice; give it once");
  }
});

describe("a strategy by its spec", () => {
  test("every name makes the strategy of that name", () => {
    expect(strategyNames).toEqual(["independent", "patr", "tree-random", "arpo"]);
    for (const name of strategyNames) expect(strategyOf(name, 5).name).toBe(name);
  });

  test.each(["grpo", "", "toString", "__proto__", "PATR"])("an unknown strategy is named: %s", (name) => {
    expect(() => strategyOf(name, 5)).toThrow(
      `--strategy: expected one of independent, patr, tree-random, arpo, got "${name}"`,
    );
  });

  test.each(["depth", "__proto__", "toString"])(
    "an unknown option is named, and those there are: %s",
    (key) => {
      expect(() => strategyOf(`independent:${key}=1`, 5)).toThrow(
        `--strategy independent: no option \`${key}\`; it has n`,
      );
      expect(() => strategyOf(`patr:${key}=1`, 5)).toThrow(/it has branches, .*, maxLeaves, pruned$/);
    },
  );

  test("the interval is the environment's unless the spec says otherwise", () => {
    for (const name of ["patr", "tree-random"]) {
      expect(strategyOf(name, 13).every).toBe(13);
      expect(strategyOf(`${name}:every=4`, 13).every).toBe(4);
      expect(strategyOf(`${name}:every=none`, 13).every).toBe(13);
    }
    expect(strategyOf("arpo", 13).every).toBe(1);
    expect(strategyOf("independent", 13).every).toBeUndefined();
  });

  test("none is the default, and for theta it is never", () => {
    const options = (spec: string) => strategyOf(spec, 5).options as Record<string, unknown>;
    expect(options("patr:maxLeaves=none,top=none")).toMatchObject({ maxLeaves: null, top: 2 });
    expect(options("patr:maxLeaves=9,top=3")).toMatchObject({ maxLeaves: 9, top: 3 });
    expect(options("tree-random").theta).toBe(6);
    expect(options("tree-random:theta=none").theta).toBe(null);
    expect(options("tree-random:theta=null").theta).toBe(null);
    expect(() => strategyOf("patr:theta=none", 5)).toThrow("patr: expected `theta` to be a whole number");
  });

  test("yes and no must be true and false", () => {
    const topUp = (spec: string) => strategyOf(spec, 5).topUp!(0);
    expect([topUp("arpo"), topUp("arpo:topUp=true"), topUp("arpo:topUp=false")]).toEqual([1, 1, 0]);
    expect(() => strategyOf("arpo:topUp=no", 5)).toThrow(
      "--strategy arpo: expected `topUp` to be true or false, got no",
    );
  });

  test("a bad value is named by the strategy", () => {
    expect(() => strategyOf("patr:every=often", 5)).toThrow(
      "patr: expected `every` to be a whole number from 1 up, got often",
    );
    expect(() => strategyOf("patr:parent=gone", 5)).toThrow("`parent` to be one of replaced, kept, got gone");
  });
});
