from .cache import LRUCache

_MISSING = object()


def cached(capacity=128):
    """Decorator: remembers the results of a function of hashable arguments."""

    def wrap(function):
        cache = LRUCache(capacity)

        def inner(*args, **kwargs):
            key = (args, tuple(sorted(kwargs.items())))
            value = cache.get(key, _MISSING)
            if value is _MISSING:
                value = function(*args, **kwargs)
                cache.put(key, value)
            return value

        inner.cache = cache
        return inner

    return wrap
