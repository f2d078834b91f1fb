from .bucket import TokenBucket
from .limiter import Limiter
from .window import SlidingWindow

__all__ = ["Limiter", "SlidingWindow", "TokenBucket"]
