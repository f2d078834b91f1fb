import unittest

from date_spans import busy_days, conflicts, free_spans, parse_span


class CalendarTest(unittest.TestCase):
    def test_busy_days(self):
        spans = [parse_span("2024-05-01..2024-05-03"), parse_span("2024-05-03..2024-05-05")]
        self.assertEqual(busy_days(spans), 5)

    def test_conflicts(self):
        a, b, c = map(parse_span, ["2024-05-01..2024-05-03", "2024-05-02", "2024-05-09"])
        self.assertEqual(conflicts([a, b, c]), [(a, b)])

    def test_free(self):
        week = parse_span("2024-05-06..2024-05-12")
        busy = [parse_span("2024-05-08..2024-05-09")]
        self.assertEqual(
            free_spans(busy, week),
            [parse_span("2024-05-06..2024-05-07"), parse_span("2024-05-10..2024-05-12")],
        )
