import unittest

from lru_cache import cached


class CachedTest(unittest.TestCase):
    def test_calls_once(self):
        calls = []

        @cached(10)
        def double(x):
            calls.append(x)
            return 2 * x

        self.assertEqual([double(2), double(2), double(3)], [4, 4, 6])
        self.assertEqual(calls, [2, 3])
        self.assertEqual(double.cache.stats.hits, 1)
