from .diff import edits


class Conflict:
    """Lines that both sides changed, in different ways."""

    def __init__(self, ours, theirs):
        self.ours = ours
        self.theirs = theirs

    def __eq__(self, other):
        return isinstance(other, Conflict) and vars(self) == vars(other)

    def __repr__(self):
        return f"Conflict({self.ours!r}, {self.theirs!r})"


class Merged:
    """The result: `parts` are lists of lines and conflicts, in order."""

    def __init__(self):
        self.parts = []

    def add(self, lines):
        if not lines:
            return
        if self.parts and isinstance(self.parts[-1], list):
            self.parts[-1] += lines
        else:
            self.parts.append(list(lines))

    def add_conflict(self, ours, theirs):
        self.parts.append(Conflict(ours, theirs))

    @property
    def conflicts(self):
        return [part for part in self.parts if isinstance(part, Conflict)]

    @property
    def lines(self):
        """The lines without the conflicts."""
        return [line for part in self.parts if isinstance(part, list) for line in part]


def merge3(base, ours, theirs):
    """Merges two changed versions of `base`."""
    merged = Merged()
    mine = edits(base, ours)
    yours = edits(base, theirs)
    place = 0
    while mine or yours:
        if not yours or (mine and mine[0].end <= yours[0].start):
            edit = mine.pop(0)
            merged.add(base[place : edit.start])
            merged.add(edit.lines)
            place = edit.end
        elif not mine or yours[0].end <= mine[0].start:
            edit = yours.pop(0)
            merged.add(base[place : edit.start])
            merged.add(edit.lines)
            place = edit.end
        else:
            one, other = mine.pop(0), yours.pop(0)
            merged.add(base[place : min(one.start, other.start)])
            merged.add_conflict(one.lines, other.lines)
            place = max(one.end, other.end)
    merged.add(base[place:])
    return merged
