from collections import OrderedDict

from .stats import Stats


class LRUCache:
    """Keeps at most `capacity` entries; the least recently used one goes first."""

    def __init__(self, capacity, on_evict=None):
        if capacity < 1:
            raise ValueError("capacity must be at least 1")
        self.capacity = capacity
        self.stats = Stats()
        self._on_evict = on_evict
        # Oldest entry first, newest last.
        self._entries = OrderedDict()

    def __len__(self):
        return len(self._entries)

    def __contains__(self, key):
        return key in self._entries

    def keys(self):
        """The keys, from the one that would be evicted next to the newest."""
        return list(self._entries)

    def get(self, key, default=None):
        """The value of `key`, which counts as a use of it."""
        if key not in self._entries:
            self.stats.misses += 1
            return default
        self.stats.hits += 1
        self._entries.move_to_end(key, last=False)
        return self._entries[key]

    def peek(self, key, default=None):
        """The value of `key` without counting it as a use."""
        return self._entries.get(key, default)

    def put(self, key, value):
        """Stores a value; an existing key is replaced and becomes the newest."""
        if key in self._entries:
            self._entries[key] = value
            self._entries.move_to_end(key)
            return
        self._entries[key] = value
        self._shrink()

    def pop(self, key, default=None):
        return self._entries.pop(key, default)

    def resize(self, capacity):
        """Changes the capacity; a smaller one evicts the oldest entries at once."""
        if capacity < 1:
            raise ValueError("capacity must be at least 1")
        self.capacity = capacity
        self._shrink()

    def clear(self):
        self._entries.clear()

    def _shrink(self):
        while len(self._entries) > self.capacity:
            key, value = self._entries.popitem(last=False)
            self.stats.evictions += 1
            if self._on_evict is not None:
                self._on_evict(key, value)
