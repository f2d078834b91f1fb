from .bucket import TokenBucket


class Limiter:
    """One bucket for each key, made when the key is first seen."""

    def __init__(self, rate, capacity):
        self.rate = rate
        self.capacity = capacity
        self._buckets = {}

    def allow(self, key, now, tokens=1):
        return self._bucket(key, now).take(now, tokens)

    def retry_after(self, key, now, tokens=1):
        """Seconds after which the same call would be allowed, rounded up to milliseconds."""
        wait = self._bucket(key, now).wait_time(now, tokens)
        return -(-round(wait * 1_000_000) // 1000) / 1000

    def forget_full(self, now):
        """Drops the buckets that are full again; gives how many."""
        full = [key for key, bucket in self._buckets.items() if bucket.available(now) >= self.capacity]
        for key in full:
            del self._buckets[key]
        return len(full)

    def _bucket(self, key, now):
        if key not in self._buckets:
            self._buckets[key] = TokenBucket(self.rate, self.capacity, now)
        return self._buckets[key]
