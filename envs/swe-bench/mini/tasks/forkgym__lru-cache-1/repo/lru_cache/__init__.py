from .cache import LRUCache
from .decorator import cached
from .stats import Stats

__all__ = ["LRUCache", "Stats", "cached"]
