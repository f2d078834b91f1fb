import unittest
from datetime import date

from date_spans import Span, parse_span


def span(text):
    return parse_span(text)


class SpanTest(unittest.TestCase):
    def test_length_counts_both_ends(self):
        self.assertEqual(len(span("2024-02-27..2024-03-01")), 4)
        self.assertEqual(len(span("2024-02-27")), 1)

    def test_ends_before_it_starts(self):
        with self.assertRaises(ValueError):
            Span(date(2024, 1, 2), date(2024, 1, 1))

    def test_overlap(self):
        may = span("2024-05-01..2024-05-31")
        self.assertTrue(may.overlaps(span("2024-05-20..2024-06-02")))
        self.assertTrue(may.overlaps(span("2024-05-31..2024-06-02")))
        self.assertFalse(may.overlaps(span("2024-06-01..2024-06-02")))

    def test_intersection(self):
        may = span("2024-05-01..2024-05-31")
        self.assertEqual(may.intersection(span("2024-05-20..2024-06-02")), span("2024-05-20..2024-05-31"))
        self.assertIsNone(may.intersection(span("2024-07-01")))

    def test_shift(self):
        self.assertEqual(span("2024-12-30..2024-12-31").shift(2), span("2025-01-01..2025-01-02"))
