from .histogram import histogram
from .measures import mean, median, quantile, variance
from .report import describe

__all__ = ["describe", "histogram", "mean", "median", "quantile", "variance"]
