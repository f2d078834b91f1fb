class CsvError(ValueError):
    """The text is not well formed, or its rows do not fit together."""


def scan(text, delimiter=",", quote='"'):
    """The rows of a text, each a list of fields. Empty lines are left out."""
    rows = []
    row = []
    field = ""
    place = 0
    line = 1
    quoted = False
    touched = False
    while place < len(text):
        char = text[place]
        if quoted:
            if char != quote:
                field += char
                line += char == "\n"
                place += 1
            elif text[place + 1 : place + 2] == quote:
                field += quote
                place += 1
            else:
                quoted = False
                place += 1
        elif char == quote and field == "":
            quoted = touched = True
            place += 1
        elif char == delimiter:
            row.append(field)
            field = ""
            touched = True
            place += 1
        elif char in "\r\n":
            if row or field or touched:
                rows.append(row + [field])
            row, field, touched = [], "", False
            line += 1
            place += 2 if text[place : place + 2] == "\r\n" else 1
        else:
            field += char
            place += 1
    if quoted:
        raise CsvError(f"line {line}: a quoted field does not end")
    if row or field or touched:
        rows.append(row + [field])
    return rows
