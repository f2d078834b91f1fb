import unittest

from interval_set import IntervalSet, difference, intersection, union


class AlgebraTest(unittest.TestCase):
    def test_union(self):
        self.assertEqual(union(IntervalSet([(0, 2)]), IntervalSet([(1, 5)])), IntervalSet([(0, 5)]))

    def test_difference(self):
        self.assertEqual(
            difference(IntervalSet([(0, 9)]), IntervalSet([(2, 4)])), IntervalSet([(0, 2), (4, 9)])
        )

    def test_no_intersection(self):
        self.assertEqual(intersection(IntervalSet(), IntervalSet([(0, 2)])), IntervalSet())
