def histogram(values, bins=10):
    """Counts in `bins` equal bins from the smallest value to the largest: pairs of (start, count)."""
    if bins < 1:
        raise ValueError("bins must be at least 1")
    if not values:
        return []
    low, high = min(values), max(values)
    width = (high - low) / bins or 1
    counts = [0] * bins
    for value in values:
        place = int((value - low) / width)
        counts[min(place, bins - 1)] += 1
    return [(low + width * number, count) for number, count in enumerate(counts)]


def bars(values, bins=10, width=40):
    """The histogram as lines of text."""
    pairs = histogram(values, bins)
    most = max((count for _, count in pairs), default=0)
    return [f"{start:8.2f} " + "#" * round(count * width / most) for start, count in pairs]
