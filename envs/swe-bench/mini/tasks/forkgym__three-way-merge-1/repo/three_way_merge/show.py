from .diff import edits


def markers(merged, ours="ours", theirs="theirs"):
    """The lines of a merge, with markers around both sides of a conflict."""
    out = []
    for part in merged.parts:
        if isinstance(part, list):
            out += part
        else:
            out += [f"<<<<<<< {ours}", *part.ours, "=======", *part.theirs, f">>>>>>> {theirs}"]
    return out


def unified(base, changed):
    """Each line with "+", "-" or a blank before it."""
    out = []
    place = 0
    for edit in edits(base, changed):
        out += [" " + line for line in base[place : edit.start]]
        out += ["-" + line for line in base[edit.start : edit.end]]
        out += ["+" + line for line in edit.lines]
        place = edit.end
    return out + [" " + line for line in base[place:]]
