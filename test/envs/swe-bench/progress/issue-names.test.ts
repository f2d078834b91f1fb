import { expect, test } from "vitest";
import { definingFiles, isNamed, namesOf } from "../../../../envs/swe-bench/progress/issue-names.ts";

const issue = `The total of a cart is wrong

\`Cart.total\` counts twice since pay_all(x) came. In shop/price_list.py it says 'discount'.

\`\`\`python
from shop.basket import Cart
assert Cart([1]).total() == 1, "the message"
\`\`\`

  File "/testbed/shop/deep/money.py", line 3, in add_up
`;

test("names are what looks like code, and no other word", () => {
  const { words, paths } = namesOf(issue);
  for (const word of ["Cart", "total", "pay_all", "basket", "shop", "add_up"]) expect(words).toContain(word);
  for (const word of ["wrong", "twice", "message", "discount", "assert", "python"]) {
    expect(words).not.toContain(word);
  }
  expect(paths).toEqual(expect.arrayContaining(["shop/price_list.py", "shop/deep/money.py"]));
});

test.each([
  ["shop/price_list.py", true],
  ["deep/money.py", true],
  ["src/shop/deep/money.py", true],
  ["shop/basket.py", true],
  ["shop/_basket.py", true],
  ["shop/other.py", false],
  ["shop/wrong.py", false],
])("%s is named: %j", (path, expected) => {
  expect(isNamed(namesOf(issue), path)).toBe(expected);
});

test("a file defines what is named if grep or a view of it shows so", () => {
  const names = namesOf(issue);
  expect(definingFiles(names, "shop/a.py:12:class Cart:\nshop/b.py:1:class Other:", [])).toEqual([
    "shop/a.py",
  ]);
  expect(definingFiles(names, "    12\tdef pay_all(x):", ["shop/c.py"])).toEqual(["shop/c.py"]);
  expect(definingFiles(names, "    12\tdef pay_all(x):", [])).toEqual([]);
});
