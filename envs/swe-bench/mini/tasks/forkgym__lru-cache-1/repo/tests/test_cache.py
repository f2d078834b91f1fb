import unittest

from lru_cache import LRUCache


class CacheTest(unittest.TestCase):
    def test_get_and_put(self):
        cache = LRUCache(2)
        cache.put("a", 1)
        self.assertEqual(cache.get("a"), 1)
        self.assertIsNone(cache.get("b"))
        self.assertEqual(cache.get("b", 7), 7)

    def test_the_first_in_is_evicted(self):
        gone = []
        cache = LRUCache(2, on_evict=lambda key, value: gone.append((key, value)))
        for number, key in enumerate("abc"):
            cache.put(key, number)
        self.assertEqual(gone, [("a", 0)])
        self.assertEqual(cache.keys(), ["b", "c"])

    def test_put_again_makes_it_the_newest(self):
        cache = LRUCache(2)
        cache.put("a", 1)
        cache.put("b", 2)
        cache.put("a", 3)
        cache.put("c", 4)
        self.assertEqual(cache.keys(), ["a", "c"])

    def test_resize(self):
        cache = LRUCache(3)
        for key in "abc":
            cache.put(key, key)
        cache.resize(1)
        self.assertEqual(cache.keys(), ["c"])

    def test_bad_capacity(self):
        with self.assertRaises(ValueError):
            LRUCache(0)
