from fractions import Fraction

from .matrix import Matrix


def _eliminate(left, right):
    """Gauss-Jordan on copies; gives the solved right side and the determinant of `left`."""
    if left.rows != left.cols:
        raise ValueError("the matrix is not square")
    a = left.map(Fraction).data
    b = right.map(Fraction).data
    det = Fraction(1)
    for col in range(len(a)):
        pivot = next((row for row in range(col, len(a)) if a[row][col] != 0), None)
        if pivot is None:
            return None, Fraction(0)
        if pivot != col:
            a[col], a[pivot] = a[pivot], a[col]
            b[col], b[pivot] = b[pivot], b[col]
            det = -det
        scale = a[col][col]
        det *= scale
        a[col] = [value / scale for value in a[col]]
        b[col] = [value / scale for value in b[col]]
        for row in range(len(a)):
            factor = a[row][col]
            if row != col and factor != 0:
                a[row] = [x - factor * y for x, y in zip(a[row], a[col])]
                b[row] = [x - factor * y for x, y in zip(b[row], b[col])]
    return Matrix(b), det


def solve(left, right):
    """X with left @ X == right. Raises ValueError if there is no single one."""
    solution, _ = _eliminate(left, right)
    if solution is None:
        raise ValueError("the matrix is singular")
    return solution


def inverse(matrix):
    return solve(matrix, Matrix.identity(matrix.rows))


def determinant(matrix):
    return _eliminate(matrix, Matrix.identity(matrix.rows))[1]
