class TokenBucket:
    """Holds up to `capacity` tokens and gains `rate` tokens per second."""

    def __init__(self, rate, capacity, now=0.0):
        if rate <= 0 or capacity <= 0:
            raise ValueError("rate and capacity must be positive")
        self.rate = rate
        self.capacity = capacity
        self._tokens = float(capacity)
        self._updated = now

    def available(self, now):
        """Tokens at the time `now`, in seconds."""
        self._refill(now)
        return self._tokens

    def take(self, now, tokens=1):
        """Takes tokens if there are enough; says whether it did."""
        self._refill(now)
        if self._tokens < tokens:
            return False
        self._tokens -= tokens
        return True

    def wait_time(self, now, tokens=1):
        """Seconds until `tokens` are there; 0.0 if they are there now."""
        if tokens > self.capacity:
            raise ValueError("more tokens than the bucket can hold")
        self._refill(now)
        missing = tokens - self._tokens
        if missing <= 0:
            return 0.0
        return missing * self.rate

    def _refill(self, now):
        if now <= self._updated:
            return
        gained = (now - self._updated) * self.rate
        self._tokens = min(self.capacity, self._tokens + gained)
        self._updated = now
