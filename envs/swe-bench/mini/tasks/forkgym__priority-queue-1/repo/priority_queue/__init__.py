from .merge import merge
from .queue import EmptyQueue, PriorityQueue
from .scheduler import Scheduler

__all__ = ["EmptyQueue", "PriorityQueue", "Scheduler", "merge"]
