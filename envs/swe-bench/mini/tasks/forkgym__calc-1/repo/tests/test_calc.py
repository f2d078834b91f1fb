import unittest

from calc import CalcError, Calculator, evaluate


class CalcTest(unittest.TestCase):
    def test_levels(self):
        self.assertEqual(evaluate("1 + 2 * 3"), 7)
        self.assertEqual(evaluate("(1 + 2) * 3"), 9)
        self.assertEqual(evaluate("2 * 3 ^ 2"), 18)

    def test_from_left_and_right(self):
        self.assertEqual(evaluate("8 - 3 - 2"), 3)
        self.assertEqual(evaluate("16 / 4 / 2"), 2)
        self.assertEqual(evaluate("2 ^ 3 ^ 2"), 512)

    def test_signs(self):
        self.assertEqual(evaluate("-2 ^ 2"), -4)
        self.assertEqual(evaluate("3 - -2"), 5)

    def test_modulo(self):
        self.assertEqual(evaluate("17 % 5"), 2)
        self.assertEqual(evaluate("1 + 17 % 5"), 3)

    def test_names_and_functions(self):
        calculator = Calculator({"x": 4})
        calculator.set("y", "x * 2")
        self.assertEqual(calculator.evaluate("max(x, y, 5) + abs(-1)"), 9)

    def test_errors(self):
        for text in ("1 +", "(1", "1 2", "1 / 0", "nope", "1 $ 2", "1.2.3"):
            with self.assertRaises(CalcError):
                evaluate(text)
