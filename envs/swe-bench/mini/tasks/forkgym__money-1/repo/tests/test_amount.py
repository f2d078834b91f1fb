import unittest

from money import Money, divide_half_even


class AmountTest(unittest.TestCase):
    def test_parse_and_print(self):
        for text in ("12.34 EUR", "-0.05 EUR", "7.00 USD"):
            self.assertEqual(str(Money.parse(text)), text)
        self.assertEqual(Money.parse("7"), Money(700))
        with self.assertRaises(ValueError):
            Money.parse("1.234")

    def test_arithmetic(self):
        self.assertEqual(Money(150) + Money(75) - Money(25), Money(200))
        self.assertEqual(-Money(5).times(3), Money(-15))
        with self.assertRaises(ValueError):
            Money(1) + Money(1, "USD")

    def test_rounding(self):
        self.assertEqual(divide_half_even(7, 3), 2)
        self.assertEqual(divide_half_even(8, 3), 3)
        self.assertEqual(divide_half_even(-7, 3), -2)

    def test_percent(self):
        self.assertEqual(Money(1000).percent(19_000), Money(190))
