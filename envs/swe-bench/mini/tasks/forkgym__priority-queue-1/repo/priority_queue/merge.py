import heapq

from .queue import PriorityQueue


def merge(*queues):
    """A new queue with the items of all; the given ones stay as they are."""
    merged = PriorityQueue()
    for priority, item in heapq.merge(*[sorted(queue._heap) for queue in queues]):
        merged.push(item, priority)
    return merged
