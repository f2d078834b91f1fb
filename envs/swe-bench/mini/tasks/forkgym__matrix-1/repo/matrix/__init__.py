from .matrix import Matrix
from .solve import determinant, inverse, solve
from .text import parse, to_text

__all__ = ["Matrix", "determinant", "inverse", "parse", "solve", "to_text"]
