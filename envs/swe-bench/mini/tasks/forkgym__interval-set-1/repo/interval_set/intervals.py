from bisect import bisect_left, bisect_right

from .interval import Interval


class IntervalSet:
    """Intervals that neither overlap nor touch, in order."""

    def __init__(self, pairs=()):
        self._starts = []
        self._ends = []
        for start, end in pairs:
            self.add(start, end)

    def __len__(self):
        return len(self._starts)

    def __iter__(self):
        for start, end in zip(self._starts, self._ends):
            yield Interval(start, end)

    def __eq__(self, other):
        return isinstance(other, IntervalSet) and list(self) == list(other)

    def __repr__(self):
        return "IntervalSet(" + ", ".join(map(repr, self)) + ")"

    def __contains__(self, number):
        place = bisect_right(self._starts, number) - 1
        return place >= 0 and number < self._ends[place]

    def copy(self):
        other = IntervalSet()
        other._starts = self._starts[:]
        other._ends = self._ends[:]
        return other

    def total(self):
        """How much the intervals cover."""
        return sum(interval.length for interval in self)

    def add(self, start, end):
        """Adds `[start, end)`, merged with what it overlaps or touches."""
        Interval(start, end)
        low, high = self._reach(start, end)
        if low < high:
            start = min(start, self._starts[low])
            end = max(end, self._ends[high - 1])
        self._replace(low, high, [(start, end)])

    def remove(self, start, end):
        """Takes `[start, end)` out; what sticks out of it on either side stays."""
        Interval(start, end)
        low, high = self._reach(start, end)
        if low >= high:
            return
        pieces = []
        if self._starts[low] <= start:
            pieces.append((self._starts[low], start))
        if self._ends[high - 1] >= end:
            pieces.append((end, self._ends[high - 1]))
        self._replace(low, high, pieces)

    def gaps(self, start, end):
        """What of `[start, end)` is not covered, as a new set."""
        free = IntervalSet([(start, end)])
        for interval in self:
            free.remove(interval.start, interval.end)
        return free

    def _reach(self, start, end):
        """Places from low up to high of the intervals that overlap or touch [start, end)."""
        return bisect_left(self._ends, start), bisect_right(self._starts, end)

    def _replace(self, low, high, pairs):
        self._starts[low:high] = [start for start, _ in pairs]
        self._ends[low:high] = [end for _, end in pairs]
