import unittest

from shortest_path import Graph, distances, nearest, route, within


class RoutesTest(unittest.TestCase):
    def setUp(self):
        self.graph = Graph([("a", "b", 4), ("a", "c", 1), ("c", "b", 2), ("b", "d", 5), ("e", "a", 1)])

    def test_route(self):
        self.assertEqual(route(self.graph, "a", "d"), (8, ["a", "c", "b", "d"]))
        self.assertEqual(route(self.graph, "a", "a"), (0, ["a"]))

    def test_no_route(self):
        self.assertIsNone(route(self.graph, "a", "e"))
        with self.assertRaises(KeyError):
            route(self.graph, "x", "a")

    def test_distances(self):
        self.assertEqual(distances(self.graph, "a"), {"a": 0, "c": 1, "b": 3, "d": 8})

    def test_nearest_and_within(self):
        self.assertEqual(nearest(self.graph, "a", 2), ["c", "b"])
        self.assertEqual(within(self.graph, "a", 3), ["a", "c", "b"])

    def test_negative_cost(self):
        with self.assertRaises(ValueError):
            Graph([("a", "b", -1)])
