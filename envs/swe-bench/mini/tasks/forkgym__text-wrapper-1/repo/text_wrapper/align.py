def align(line, width, side="left"):
    """Pads a line to `width`: "left", "right" or "center"."""
    if side == "left":
        return line.ljust(width)
    if side == "right":
        return line.rjust(width)
    if side == "center":
        return line.center(width)
    raise ValueError(f"unknown side: {side}")


def justify(line, width):
    """Widens the gaps of a line so that it is `width` long; the first gaps get the rest."""
    words = line.split()
    if len(words) < 2:
        return line
    spaces = width - sum(len(word) for word in words)
    gaps = len(words) - 1
    if spaces < gaps:
        return line
    each, more = divmod(spaces, gaps)
    out = words[0]
    for number, word in enumerate(words[1:]):
        out += " " * (each + (1 if number < more else 0)) + word
    return out
