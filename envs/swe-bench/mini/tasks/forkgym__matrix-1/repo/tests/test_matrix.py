import unittest

from matrix import Matrix


class MatrixTest(unittest.TestCase):
    def test_add_and_sub(self):
        a, b = Matrix([[1, 2]]), Matrix([[3, 5]])
        self.assertEqual(a + b, Matrix([[4, 7]]))
        self.assertEqual(b - a, Matrix([[2, 3]]))
        with self.assertRaises(ValueError):
            a + Matrix([[1]])

    def test_product(self):
        a = Matrix([[1, 2, 3], [4, 5, 6]])
        b = Matrix([[1], [0], [2]])
        self.assertEqual(a @ b, Matrix([[7], [16]]))

    def test_transpose(self):
        self.assertEqual(Matrix([[1, 2], [3, 4]]).transpose(), Matrix([[1, 3], [2, 4]]))

    def test_ragged(self):
        with self.assertRaises(ValueError):
            Matrix([[1, 2], [3]])
