from .graph import Graph
from .routes import nearest, route, within
from .search import distances

__all__ = ["Graph", "distances", "nearest", "route", "within"]
