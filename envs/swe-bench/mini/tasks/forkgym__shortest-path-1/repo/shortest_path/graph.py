class Graph:
    """A directed graph; each edge has a cost of 0 or more."""

    def __init__(self, edges=()):
        self._out = {}
        for start, end, cost in edges:
            self.add(start, end, cost)

    def add(self, start, end, cost, both_ways=False):
        if cost < 0:
            raise ValueError("a cost must not be negative")
        self._out.setdefault(start, {})[end] = cost
        self._out.setdefault(end, {})
        if both_ways:
            self.add(end, start, cost)

    def __contains__(self, node):
        return node in self._out

    def __len__(self):
        return len(self._out)

    def nodes(self):
        return list(self._out)

    def edges_from(self, node):
        """Pairs of (end, cost)."""
        return list(self._out[node].items())

    def cost(self, start, end):
        return self._out[start][end]
