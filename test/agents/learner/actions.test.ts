import { describe, expect, it } from "vitest";
import { actionIndex } from "../../../agents/learner/actions.ts";
import { InputError } from "../../../core/errors.ts";

describe("actionIndex", () => {
  it("finds strings, numbers and objects, whatever the order of keys", () => {
    const indexOf = actionIndex<unknown>(["up", 3, { a: 1, b: 2 }, '{"a":1,"b":2}']);
    expect(["up", 3, { b: 2, a: 1 }, '{"a":1,"b":2}'].map(indexOf)).toEqual([0, 1, 2, 3]);
  });

  it("names an action that it does not know", () => {
    expect(() => actionIndex(["up", "down"])("left" as "up")).toThrow(InputError);
    expect(() => actionIndex(["up", "down"])("left" as "up")).toThrow(/"left" is not one of/);
    expect(() => actionIndex<unknown>(["1", "2"])(1)).toThrow(InputError);
  });

  it("refuses fewer than two actions, or one of them twice", () => {
    expect(() => actionIndex(["up"])).toThrow(InputError);
    expect(() => actionIndex([{ a: 1 }, { a: 1 }])).toThrow(/distinct/);
  });
});
