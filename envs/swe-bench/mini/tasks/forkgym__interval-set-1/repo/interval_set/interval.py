class Interval:
    """The numbers from `start` up to, and without, `end`."""

    def __init__(self, start, end):
        if not start < end:
            raise ValueError(f"empty interval: {start} to {end}")
        self.start = start
        self.end = end

    def __eq__(self, other):
        return isinstance(other, Interval) and (self.start, self.end) == (other.start, other.end)

    def __repr__(self):
        return f"[{self.start}, {self.end})"

    def __contains__(self, number):
        return self.start <= number < self.end

    @property
    def length(self):
        return self.end - self.start
