from datetime import timedelta

ONE_DAY = timedelta(days=1)


class Span:
    """The days from `first` to `last`, both included."""

    def __init__(self, first, last):
        if last < first:
            raise ValueError(f"span ends before it starts: {first}..{last}")
        self.first = first
        self.last = last

    def __repr__(self):
        return f"Span({self.first}..{self.last})"

    def __eq__(self, other):
        return isinstance(other, Span) and (self.first, self.last) == (other.first, other.last)

    def __hash__(self):
        return hash((self.first, self.last))

    def __len__(self):
        return (self.last - self.first).days + 1

    def __contains__(self, day):
        return self.first <= day <= self.last

    def __iter__(self):
        day = self.first
        while day <= self.last:
            yield day
            day += ONE_DAY

    def overlaps(self, other):
        """Whether the two have a day in common."""
        return self.first < other.last and other.first <= self.last

    def touches(self, other):
        """Whether the one starts on the day after the other ends."""
        return self.last + ONE_DAY == other.first or other.last + ONE_DAY == self.first

    def intersection(self, other):
        """The days in both, or None."""
        if not self.overlaps(other):
            return None
        return Span(max(self.first, other.first), min(self.last, other.last))

    def hull(self, other):
        """The shortest span that has all days of both."""
        return Span(min(self.first, other.first), max(self.last, other.last))

    def shift(self, days):
        step = timedelta(days=days)
        return Span(self.first + step, self.last + step)
