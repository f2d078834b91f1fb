class Edit:
    """Replaces the lines `start` up to, and without, `end` of the base by `lines`."""

    def __init__(self, start, end, lines):
        self.start = start
        self.end = end
        self.lines = list(lines)

    def __eq__(self, other):
        return isinstance(other, Edit) and vars(self) == vars(other)

    def __repr__(self):
        return f"Edit({self.start}, {self.end}, {self.lines!r})"


def common(a, b):
    """Pairs of places of a longest common subsequence."""
    longest = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(len(a) - 1, -1, -1):
        for j in range(len(b) - 1, -1, -1):
            if a[i] == b[j]:
                longest[i][j] = longest[i + 1][j + 1] + 1
            else:
                longest[i][j] = max(longest[i + 1][j], longest[i][j + 1])
    pairs = []
    i = j = 0
    while i < len(a) and j < len(b):
        if a[i] == b[j]:
            pairs.append((i, j))
            i += 1
            j += 1
        elif longest[i + 1][j] >= longest[i][j + 1]:
            i += 1
        else:
            j += 1
    return pairs


def edits(base, changed):
    """The edits that turn `base` into `changed`, in order; two never touch."""
    found = []
    i = j = 0
    for next_i, next_j in [*common(base, changed), (len(base), len(changed))]:
        if next_i > i or next_j > j:
            found.append(Edit(i, next_i, changed[j:next_j]))
        i, j = next_i + 1, next_j + 1
    return found


def patch(base, changes):
    """Applies edits, which are in order."""
    out = []
    place = 0
    for edit in changes:
        out += base[place : edit.start] + edit.lines
        place = edit.end
    return out + base[place:]
