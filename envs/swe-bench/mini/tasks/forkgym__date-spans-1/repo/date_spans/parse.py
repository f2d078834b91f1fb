from datetime import date

from .span import Span


def parse_span(text):
    """Reads `2024-05-01..2024-05-07`, or one day `2024-05-01`."""
    first, dots, last = text.strip().partition("..")
    start = date.fromisoformat(first.strip())
    if not dots:
        return Span(start, start)
    return Span(start, date.fromisoformat(last.strip()))
