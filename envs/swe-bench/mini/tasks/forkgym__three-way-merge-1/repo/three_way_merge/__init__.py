from .diff import Edit, edits, patch
from .merge import Conflict, Merged, merge3
from .show import markers, unified

__all__ = ["Conflict", "Edit", "Merged", "edits", "markers", "merge3", "patch", "unified"]
