import heapq


class EmptyQueue(LookupError):
    """There is nothing in the queue."""


class PriorityQueue:
    """Items with priorities; the lowest priority is the first."""

    def __init__(self, pairs=()):
        self._heap = []
        for item, priority in pairs:
            self.push(item, priority)

    def __len__(self):
        return len(self._heap)

    def __contains__(self, item):
        return any(entry[1] == item for entry in self._heap)

    def push(self, item, priority=0):
        heapq.heappush(self._heap, (priority, item))

    def peek(self):
        """The first item, which stays in the queue."""
        if not self._heap:
            raise EmptyQueue("the queue is empty")
        return self._heap[0][1]

    def pop(self):
        """Takes the first item out."""
        if not self._heap:
            raise EmptyQueue("the queue is empty")
        return heapq.heappop(self._heap)[1]

    def pop_with_priority(self):
        """Takes the first item out: (item, priority)."""
        if not self._heap:
            raise EmptyQueue("the queue is empty")
        priority, item = heapq.heappop(self._heap)
        return item, priority

    def remove(self, item):
        """Takes an item out wherever it is; says whether it was there."""
        for entry in self._heap:
            if entry[1] == item:
                self._heap.remove(entry)
                heapq.heapify(self._heap)
                return True
        return False

    def change(self, item, priority):
        """Gives a waiting item another priority, as if it were pushed now."""
        if not self.remove(item):
            raise KeyError(item)
        self.push(item, priority)

    def drain(self):
        """Takes all items out, in order."""
        items = []
        while self._heap:
            items.append(self.pop())
        return items
