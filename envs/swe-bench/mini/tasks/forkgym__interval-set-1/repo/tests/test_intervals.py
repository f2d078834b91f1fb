import unittest

from interval_set import Interval, IntervalSet


class IntervalSetTest(unittest.TestCase):
    def test_add_merges(self):
        found = IntervalSet([(5, 7), (1, 3), (3, 4), (6, 9)])
        self.assertEqual(list(found), [Interval(1, 4), Interval(5, 9)])
        self.assertEqual(found.total(), 7)

    def test_contains(self):
        found = IntervalSet([(1, 3), (5, 7)])
        self.assertEqual([number for number in range(9) if number in found], [1, 2, 5, 6])

    def test_remove_from_the_middle(self):
        found = IntervalSet([(0, 10)])
        found.remove(3, 5)
        self.assertEqual(list(found), [Interval(0, 3), Interval(5, 10)])

    def test_remove_across(self):
        found = IntervalSet([(0, 4), (6, 8), (9, 12)])
        found.remove(2, 10)
        self.assertEqual(list(found), [Interval(0, 2), Interval(10, 12)])

    def test_remove_nothing(self):
        found = IntervalSet([(0, 4)])
        found.remove(6, 8)
        self.assertEqual(list(found), [Interval(0, 4)])

    def test_empty_interval(self):
        with self.assertRaises(ValueError):
            Interval(2, 2)
