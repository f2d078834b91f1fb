from fractions import Fraction

from .matrix import Matrix


def parse(text):
    """Reads rows separated by `;` or newlines, numbers by blanks: `1 2; 3 1/2`."""
    rows = [row.split() for row in text.replace("\n", ";").split(";") if row.strip()]
    return Matrix([[Fraction(number) for number in row] for row in rows])


def to_text(matrix):
    """Rows as lines, columns set flush right."""
    cells = [[str(value) for value in row] for row in matrix.data]
    widths = [max(len(row[col]) for row in cells) for col in range(matrix.cols)]
    return "\n".join(" ".join(cell.rjust(width) for cell, width in zip(row, widths)) for row in cells)
