class Matrix:
    """A dense matrix: `rows` lists of `cols` numbers."""

    def __init__(self, data):
        self.data = [list(row) for row in data]
        self.rows = len(self.data)
        self.cols = len(self.data[0]) if self.data else 0
        if any(len(row) != self.cols for row in self.data):
            raise ValueError("rows differ in length")

    @classmethod
    def zeros(cls, rows, cols):
        return cls([[0] * cols for _ in range(rows)])

    @classmethod
    def identity(cls, size):
        out = cls.zeros(size, size)
        for i in range(size):
            out[i, i] = 1
        return out

    def __getitem__(self, place):
        row, col = place
        return self.data[row][col]

    def __setitem__(self, place, value):
        row, col = place
        self.data[row][col] = value

    def __eq__(self, other):
        return isinstance(other, Matrix) and self.data == other.data

    def __repr__(self):
        return f"Matrix({self.data!r})"

    @property
    def shape(self):
        return self.rows, self.cols

    def map(self, function):
        return Matrix([[function(value) for value in row] for row in self.data])

    def __add__(self, other):
        self._same_shape(other)
        return Matrix([[a + b for a, b in zip(r, s)] for r, s in zip(self.data, other.data)])

    def __sub__(self, other):
        self._same_shape(other)
        return Matrix([[a - b for a, b in zip(r, s)] for r, s in zip(self.data, other.data)])

    def __mul__(self, number):
        return self.map(lambda value: value * number)

    def __matmul__(self, other):
        if self.cols != other.rows:
            raise ValueError(f"cannot multiply {self.shape} by {other.shape}")
        out = Matrix.zeros(self.rows, other.cols)
        for i in range(self.rows):
            for j in range(other.cols):
                out[i, j] = sum(self[i, k] * other[k, j] for k in range(self.cols))
        return out

    def transpose(self):
        out = Matrix.zeros(self.rows, self.cols)
        for i in range(self.rows):
            for j in range(self.cols):
                out[j, i] = self[i, j]
        return out

    def _same_shape(self, other):
        if self.shape != other.shape:
            raise ValueError(f"shapes differ: {self.shape} and {other.shape}")
