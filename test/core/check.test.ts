import { expect, test } from "vitest";
import { oneOf, onlyKnown, wholeFrom, within } from "../../core/check.ts";
import { InputError } from "../../core/errors.ts";

test("whole numbers from the least one up come back", () => {
  for (const value of [2, 3, Number.MAX_SAFE_INTEGER]) expect(wholeFrom(2, "part", "n", value)).toBe(value);
});

test.each([1, -2, 2.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, "2" as unknown as number])(
  "any other is named with the part and the option: %s",
  (value) => {
    expect(() => wholeFrom(2, "part", "n", value)).toThrow(InputError);
    expect(() => wholeFrom(2, "part", "n", value)).toThrow(
      `part: expected \`n\` to be a whole number from 2 up, got ${value}`,
    );
  },
);

test("a number within its bounds comes back, the bounds included", () => {
  for (const value of [0, 0.5, 1]) expect(within(0, 1, "part", "p", value)).toBe(value);
});

test.each([-1e-9, 1 + 1e-9, Number.NaN])("a number outside of its bounds is named: %s", (value) => {
  expect(() => within(0, 1, "part", "p", value)).toThrow(InputError);
  expect(() => within(0, 1, "part", "p", value)).toThrow(
    `part: expected \`p\` to be a number from 0 to 1, got ${value}`,
  );
});

test("one of a list comes back, and anything else is named with the list", () => {
  expect(oneOf(["a", "b"], "part", "kind", "b")).toBe("b");
  for (const value of ["c", "A", "", undefined]) {
    expect(() => oneOf(["a", "b"], "part", "kind", value)).toThrow(InputError);
    expect(() => oneOf(["a", "b"], "part", "kind", value)).toThrow(
      `part: expected \`kind\` to be one of a, b, got ${value}`,
    );
  }
});

test("options without a name of another's pass, and any other is named with those there are", () => {
  onlyKnown("part", {}, { a: 1, b: 2 });
  onlyKnown("part", { a: undefined }, { a: 1 });
  for (const name of ["c", "toString"]) {
    const given: object = { a: 1, [name]: 2 };
    expect(() => onlyKnown("part", given, { a: 1, b: 2 })).toThrow(InputError);
    expect(() => onlyKnown("part", given, { a: 1, b: 2 })).toThrow(
      `part: no option \`${name}\`; it has a, b`,
    );
  }
});

test.each([null, 8, "n", [1]])("what is no object of options is refused: %s", (given) => {
  expect(() => onlyKnown("part", given as unknown as object, {})).toThrow(
    `part: expected options as an object, got ${JSON.stringify(given)}`,
  );
});
