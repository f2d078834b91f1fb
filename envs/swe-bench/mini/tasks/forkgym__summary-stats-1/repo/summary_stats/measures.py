def mean(values):
    return sum(values) / len(values)


def variance(values):
    """Sample variance; 0.0 for fewer than two values."""
    if len(values) < 2:
        return 0.0
    center = mean(values)
    return sum((value - center) ** 2 for value in values) / (len(values) - 1)


def quantile(values, share):
    """The value below which `share` of the values lie (0 to 1), by linear interpolation."""
    if not 0 <= share <= 1:
        raise ValueError("share must be from 0 to 1")
    if not values:
        return 0.0
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = int(place)
    if below == len(ordered) - 1:
        return ordered[below]
    return ordered[below] + (place - below) * (ordered[below + 1] - ordered[below])


def median(values):
    return quantile(values, 0.5)
