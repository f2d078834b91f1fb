def divide_half_even(number, divisor):
    """number / divisor as a whole number; a half goes to the even neighbour."""
    if divisor <= 0:
        raise ValueError("divisor must be positive")
    whole, rest = divmod(number, divisor)
    if 2 * rest > divisor:
        return whole + 1
    if 2 * rest == divisor and whole % 2 == 0:
        return whole + 1
    return whole
