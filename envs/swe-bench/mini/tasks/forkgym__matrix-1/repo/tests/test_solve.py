import unittest
from fractions import Fraction

from matrix import Matrix, determinant, inverse, parse, solve, to_text


class SolveTest(unittest.TestCase):
    def test_solve(self):
        self.assertEqual(solve(parse("2 1; 1 3"), parse("3; 5")), parse("4/5; 7/5"))

    def test_determinant(self):
        self.assertEqual(determinant(parse("0 1; 1 0")), -1)
        self.assertEqual(determinant(parse("1 2; 2 4")), 0)

    def test_inverse(self):
        a = parse("1 2; 3 4")
        self.assertEqual(a @ inverse(a), Matrix.identity(2))

    def test_text(self):
        self.assertEqual(to_text(parse("1 10; 100 1/2")), "  1  10\n100 1/2")
        self.assertEqual(parse("1/2")[0, 0], Fraction(1, 2))
