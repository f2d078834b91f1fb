import unittest

from rate_limiter import Limiter, SlidingWindow


class LimiterTest(unittest.TestCase):
    def test_keys_do_not_share(self):
        limiter = Limiter(rate=1, capacity=1)
        self.assertTrue(limiter.allow("a", 0))
        self.assertFalse(limiter.allow("a", 0))
        self.assertTrue(limiter.allow("b", 0))

    def test_forget_full(self):
        limiter = Limiter(rate=1, capacity=1)
        limiter.allow("a", 0)
        limiter.allow("b", 5)
        self.assertEqual(limiter.forget_full(5), 1)


class WindowTest(unittest.TestCase):
    def test_window(self):
        window = SlidingWindow(2, 10)
        self.assertEqual([window.allow(t) for t in (0, 1, 2, 10, 11)], [True, True, False, True, True])
        self.assertEqual(window.wait_time(12), 8)
