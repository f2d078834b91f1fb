import unittest

from summary_stats import mean, median, quantile, variance


class MeasuresTest(unittest.TestCase):
    def test_mean(self):
        self.assertEqual(mean([1, 2, 6]), 3)

    def test_median(self):
        self.assertEqual(median([3, 1, 2]), 2)
        self.assertEqual(median([4, 1, 2, 3]), 2.5)
        self.assertEqual(median([]), 0)

    def test_variance(self):
        self.assertEqual(variance([1, 2, 3]), 1)
        self.assertEqual(variance([5]), 0)

    def test_quantile(self):
        self.assertEqual(quantile([0, 10], 0.25), 2.5)
        self.assertEqual(quantile([7], 1), 7)
        with self.assertRaises(ValueError):
            quantile([1], 2)
