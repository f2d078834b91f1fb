from .measures import mean, median, quantile, variance


def describe(values):
    """A dictionary of the usual measures."""
    values = list(values)
    return {
        "count": len(values),
        "sum": sum(values),
        "mean": mean(values),
        "median": median(values),
        "variance": variance(values),
        "p90": quantile(values, 0.9),
    }


def describe_groups(rows, key, value):
    """`describe` for each group of rows; `key` and `value` are column names."""
    groups = {}
    for row in rows:
        numbers = groups.setdefault(row[key], [])
        if row.get(value) is not None:
            numbers.append(row[value])
    return {name: describe(numbers) for name, numbers in groups.items()}
