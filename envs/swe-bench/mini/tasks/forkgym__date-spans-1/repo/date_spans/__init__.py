from .parse import parse_span
from .span import Span
from .calendar import busy_days, conflicts, free_spans

__all__ = ["Span", "busy_days", "conflicts", "free_spans", "parse_span"]
