from .heap import Heap


def search(graph, start):
    """Yields (node, distance, previous node) in order of distance."""
    if start not in graph:
        raise KeyError(start)
    heap = Heap()
    heap.push(start, 0)
    previous = {start: None}
    done = set()
    while heap:
        node, distance = heap.pop()
        done.add(node)
        yield node, distance, previous[node]
        for end, cost in graph.edges_from(node):
            if end in done:
                continue
            if end not in heap or distance + cost < heap.priority(end):
                previous[end] = node
                heap.push(end, distance + cost)


def distances(graph, start):
    """The distance to each node that can be reached."""
    return {node: distance for node, distance, _ in search(graph, start)}
