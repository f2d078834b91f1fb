import unittest

from priority_queue import EmptyQueue, PriorityQueue, merge


class QueueTest(unittest.TestCase):
    def test_lowest_first(self):
        queue = PriorityQueue([("c", 3), ("a", 1), ("b", 2)])
        self.assertEqual(queue.peek(), "a")
        self.assertEqual(queue.pop_with_priority(), ("a", 1))
        self.assertEqual(queue.drain(), ["b", "c"])

    def test_empty(self):
        for method in (PriorityQueue.pop, PriorityQueue.peek, PriorityQueue.pop_with_priority):
            with self.assertRaises(EmptyQueue):
                method(PriorityQueue())

    def test_remove(self):
        queue = PriorityQueue([(number, number) for number in range(8)])
        self.assertTrue(queue.remove(0))
        self.assertFalse(queue.remove(0))
        self.assertNotIn(0, queue)
        self.assertEqual(queue.drain(), [1, 2, 3, 4, 5, 6, 7])

    def test_change(self):
        queue = PriorityQueue([("a", 1), ("b", 2)])
        queue.change("a", 3)
        self.assertEqual(queue.drain(), ["b", "a"])
        with self.assertRaises(KeyError):
            queue.change("x", 1)

    def test_merge(self):
        one, other = PriorityQueue([("a", 1), ("c", 3)]), PriorityQueue([("b", 2)])
        self.assertEqual(merge(one, other).drain(), ["a", "b", "c"])
        self.assertEqual(len(one), 2)
