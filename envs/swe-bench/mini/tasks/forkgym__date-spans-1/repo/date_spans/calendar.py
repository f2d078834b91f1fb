from .span import ONE_DAY, Span


def merge(spans):
    """The same days in as few spans as possible, in order."""
    merged = []
    for span in sorted(spans, key=lambda one: one.first):
        if merged and (merged[-1].overlaps(span) or merged[-1].touches(span)):
            merged[-1] = merged[-1].hull(span)
        else:
            merged.append(span)
    return merged


def busy_days(spans):
    """How many days are in at least one of the spans."""
    return sum(len(span) for span in merge(spans))


def conflicts(spans):
    """Pairs of spans that have a day in common, in the order given."""
    found = []
    for index, one in enumerate(spans):
        for other in spans[index + 1 :]:
            if one.overlaps(other):
                found.append((one, other))
    return found


def free_spans(spans, within):
    """What of `within` is in none of the spans."""
    free = []
    day = within.first
    for span in merge(spans):
        if span.last < day:
            continue
        if span.first > within.last:
            break
        if span.first > day:
            free.append(Span(day, span.first - ONE_DAY))
        day = span.last + ONE_DAY
    if day <= within.last:
        free.append(Span(day, within.last))
    return free
