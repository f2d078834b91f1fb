import unittest

from summary_stats import describe, histogram
from summary_stats.histogram import bars
from summary_stats.report import describe_groups


class ReportTest(unittest.TestCase):
    def test_describe(self):
        out = describe([1, 2, 3, 4])
        self.assertEqual((out["count"], out["sum"], out["mean"], out["median"]), (4, 10, 2.5, 2.5))

    def test_groups(self):
        rows = [{"k": "a", "v": 1}, {"k": "b", "v": 5}, {"k": "a", "v": 3}]
        out = describe_groups(rows, "k", "v")
        self.assertEqual({name: group["mean"] for name, group in out.items()}, {"a": 2, "b": 5})

    def test_histogram(self):
        self.assertEqual(histogram([0, 1, 2, 3, 4], 2), [(0, 2), (2, 3)])
        self.assertEqual(histogram([]), [])
        self.assertEqual(histogram([2, 2], 1), [(2, 2)])
        self.assertEqual(bars([]), [])
