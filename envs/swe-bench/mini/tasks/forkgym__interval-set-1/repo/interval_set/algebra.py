from .intervals import IntervalSet


def union(one, other):
    out = one.copy()
    for interval in other:
        out.add(interval.start, interval.end)
    return out


def difference(one, other):
    """What is in `one` and not in `other`."""
    out = one.copy()
    for interval in other:
        out.remove(interval.start, interval.end)
    return out


def intersection(one, other):
    return difference(one, difference(one, other))
