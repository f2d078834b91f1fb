import unittest

from money import Invoice, Money, allocate, split


class InvoiceTest(unittest.TestCase):
    def test_totals(self):
        invoice = Invoice()
        invoice.add("pen", Money(100), 3)
        invoice.add("book", Money(700))
        self.assertEqual((invoice.net(), invoice.gross()), (Money(1000), Money(1190)))

    def test_discount(self):
        invoice = Invoice()
        invoice.add("pen", Money(300))
        invoice.add("book", Money(700))
        invoice.discount = Money(100)
        self.assertEqual(invoice.lines_after_discount(), [("pen", Money(270)), ("book", Money(630))])

    def test_split(self):
        self.assertEqual(split(Money(100), 3), [Money(34), Money(33), Money(33)])

    def test_allocate(self):
        self.assertEqual(allocate(Money(100), [3, 1]), [Money(75), Money(25)])
        with self.assertRaises(ValueError):
            allocate(Money(1), [0, 0])
