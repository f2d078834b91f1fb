import unittest

from shortest_path.heap import Heap


class HeapTest(unittest.TestCase):
    def test_first_in_order(self):
        heap = Heap()
        for item in (3, 1, 2):
            heap.push(item, item)
        self.assertEqual(heap.pop(), (1, 1))
        self.assertEqual(len(heap), 2)
        self.assertNotIn(1, heap)

    def test_lowered_priority(self):
        heap = Heap()
        heap.push("a", 5)
        heap.push("b", 4)
        heap.push("a", 1)
        heap.push("b", 9)
        self.assertEqual(heap.pop(), ("a", 1))
        self.assertEqual(heap.pop(), ("b", 4))
        with self.assertRaises(IndexError):
            heap.pop()
