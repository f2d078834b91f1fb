import { expect, test } from "vitest";
import { InputError } from "../../../../core/errors.ts";
import { Mt19937 } from "../../../../envs/frozen-lake/numpy/mt19937.ts";

// r = np.random.RandomState(5)
test("seed 5 gives numpy's numbers, whole and real in turn", () => {
  const random = new Mt19937(5);
  expect(random.randint(-3, 4, 6)).toEqual([0, 3, 2, 3, 3, -3]);
  expect(random.uniform(-1, 2, 3)).toEqual([1.938334997484338, -0.7305368867871794, 0.19020981563421757]);
  expect(random.randint(0, 2 ** 32, 3)).toEqual([1521011312, 2226588318, 2090094288]);
  expect(random.randint(7, 8, 2)).toEqual([7, 7]);
  expect(random.uniform(0, 1, 1)).toEqual([0.29680050157622195]);
});

test("the largest seed gives numpy's numbers", () => {
  expect(new Mt19937(2 ** 32 - 1).randint(0, 1000, 3)).toEqual([419, 290, 12]);
});

// x = np.random.RandomState(3).randint(0, 100, 5000): the state is refilled several times
test("numbers stay numpy's over refills", () => {
  const drawn = new Mt19937(3).randint(0, 100, 5000);
  expect(drawn.reduce((a, b) => a + b)).toBe(245650);
  expect(drawn.slice(-3)).toEqual([7, 26, 83]);
});

test.each([-1, 2 ** 32, 0.5, Number.NaN])("seed %s is refused", (seed) => {
  expect(() => new Mt19937(seed)).toThrow(InputError);
});

test.each([
  [1, 1],
  [2, 1],
  [0, 2 ** 32 + 1],
])("randint(%s, %s) is refused", (low, high) => {
  expect(() => new Mt19937(1).randint(low, high, 1)).toThrow(InputError);
});
