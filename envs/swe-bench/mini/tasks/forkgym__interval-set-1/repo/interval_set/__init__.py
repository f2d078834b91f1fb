from .algebra import difference, intersection, union
from .interval import Interval
from .intervals import IntervalSet

__all__ = ["Interval", "IntervalSet", "difference", "intersection", "union"]
