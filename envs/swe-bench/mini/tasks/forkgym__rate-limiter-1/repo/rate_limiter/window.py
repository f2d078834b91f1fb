from collections import deque


class SlidingWindow:
    """Allows `limit` events in any span of `seconds`."""

    def __init__(self, limit, seconds):
        self.limit = limit
        self.seconds = seconds
        self._events = deque()

    def allow(self, now):
        self._forget(now)
        if len(self._events) >= self.limit:
            return False
        self._events.append(now)
        return True

    def wait_time(self, now):
        """Seconds until the next event is allowed."""
        self._forget(now)
        if len(self._events) < self.limit:
            return 0.0
        return self._events[0] + self.seconds - now

    def _forget(self, now):
        while self._events and self._events[0] <= now - self.seconds:
            self._events.popleft()
