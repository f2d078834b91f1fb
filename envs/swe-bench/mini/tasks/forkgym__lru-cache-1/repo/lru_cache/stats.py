class Stats:
    """Counts what a cache did."""

    def __init__(self):
        self.hits = 0
        self.misses = 0
        self.evictions = 0

    @property
    def lookups(self):
        return self.hits + self.misses

    def hit_rate(self):
        """Share of the lookups that were answered, 0.0 if there were none."""
        if self.lookups == 0:
            return 0.0
        return self.hits / self.lookups

    def reset(self):
        self.hits = self.misses = self.evictions = 0

    def __repr__(self):
        return f"Stats(hits={self.hits}, misses={self.misses}, evictions={self.evictions})"
