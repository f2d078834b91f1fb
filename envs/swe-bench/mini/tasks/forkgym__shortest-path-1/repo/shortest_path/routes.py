from .search import search


def route(graph, start, goal):
    """The cheapest route as (cost, nodes), or None if there is no route."""
    previous = {}
    for node, distance, before in search(graph, start):
        previous[node] = before
        if node == goal:
            nodes = []
            while node is not None:
                nodes.append(node)
                node = previous[node]
            return distance, nodes[::-1]
    return None


def nearest(graph, start, count):
    """The `count` nodes that are nearest to `start`, without itself."""
    found = []
    for node, _, _ in search(graph, start):
        if node != start:
            found.append(node)
        if len(found) == count:
            break
    return found


def within(graph, start, limit):
    """The nodes at a distance of at most `limit`."""
    found = []
    for node, distance, _ in search(graph, start):
        if distance > limit:
            break
        found.append(node)
    return found
