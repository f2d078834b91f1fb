from .scanner import CsvError, scan


class Table:
    """Named columns and rows of text."""

    def __init__(self, header, rows):
        self.header = list(header)
        if len(set(self.header)) != len(self.header):
            raise CsvError("two columns have the same name")
        self.rows = []
        for number, row in enumerate(rows, start=1):
            if len(row) != len(self.header):
                raise CsvError(f"row {number} has {len(row)} fields, the header has {len(self.header)}")
            self.rows.append(list(row))

    def __len__(self):
        return len(self.rows)

    def column(self, name):
        place = self._place(name)
        return [row[place] for row in self.rows]

    def records(self):
        """Each row as a dictionary."""
        return [dict(zip(self.header, row)) for row in self.rows]

    def where(self, **wanted):
        """The rows whose columns have the given values, as a new table."""
        places = [(self._place(name), value) for name, value in wanted.items()]
        kept = [row for row in self.rows if all(row[place] == value for place, value in places)]
        return Table(self.header, kept)

    def sort(self, name, key=None):
        place = self._place(name)
        ordered = sorted(self.rows, key=lambda row: row[place] if key is None else key(row[place]))
        return Table(self.header, ordered)

    def _place(self, name):
        if name not in self.header:
            raise CsvError(f"no column {name!r}")
        return self.header.index(name)


def read_table(text, delimiter=","):
    """A table whose header is the first row."""
    rows = scan(text, delimiter)
    if not rows:
        raise CsvError("the text has no header")
    return Table(rows[0], rows[1:])
