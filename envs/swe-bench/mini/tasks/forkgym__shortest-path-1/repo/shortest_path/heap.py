class Heap:
    """A binary heap of distinct items; the one with the lowest priority comes first."""

    def __init__(self):
        self._items = []
        self._priority = {}
        self._place = {}

    def __len__(self):
        return len(self._items)

    def __contains__(self, item):
        return item in self._place

    def priority(self, item):
        return self._priority[item]

    def push(self, item, priority):
        """Adds an item, or lowers its priority; a higher priority is ignored."""
        if item not in self._place:
            self._priority[item] = priority
            self._place[item] = len(self._items)
            self._items.append(item)
        elif priority < self._priority[item]:
            self._priority[item] = priority
        else:
            return
        self._rise(self._place[item])

    def pop(self):
        """Takes out the first item: (item, priority)."""
        if not self._items:
            raise IndexError("the heap is empty")
        first = self._items[0]
        last = self._items.pop()
        del self._place[first]
        if last != first:
            self._put(0, last)
            self._sink(0)
        return first, self._priority.pop(first)

    def _put(self, place, item):
        self._items[place] = item
        self._place[item] = place

    def _before(self, a, b):
        return self._priority[self._items[a]] < self._priority[self._items[b]]

    def _swap(self, a, b):
        one, other = self._items[a], self._items[b]
        self._put(a, other)
        self._put(b, one)

    def _rise(self, place):
        while place > 0:
            above = (place - 1) // 2
            if not self._before(place, above):
                return
            self._swap(place, above)
            place = above

    def _sink(self, place):
        size = len(self._items)
        while True:
            left = 2 * place + 1
            right = left + 1
            if left >= size:
                return
            child = left
            if right < size - 1 and self._before(right, left):
                child = right
            if not self._before(child, place):
                return
            self._swap(child, place)
            place = child
