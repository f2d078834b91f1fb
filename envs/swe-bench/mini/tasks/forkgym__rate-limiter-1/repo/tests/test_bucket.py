import unittest

from rate_limiter import TokenBucket


class BucketTest(unittest.TestCase):
    def test_starts_full(self):
        bucket = TokenBucket(rate=1, capacity=3)
        self.assertEqual([bucket.take(0) for _ in range(4)], [True, True, True, False])

    def test_refills(self):
        bucket = TokenBucket(rate=2, capacity=4)
        bucket.take(0, 4)
        self.assertEqual(bucket.available(1.5), 3)
        self.assertEqual(bucket.available(60), 4)

    def test_time_does_not_run_back(self):
        bucket = TokenBucket(rate=1, capacity=2, now=10)
        bucket.take(10, 2)
        self.assertEqual(bucket.available(5), 0)

    def test_wait_time(self):
        bucket = TokenBucket(rate=1, capacity=2)
        self.assertEqual(bucket.wait_time(0), 0.0)
        bucket.take(0, 2)
        self.assertEqual(bucket.wait_time(0), 1.0)
        with self.assertRaises(ValueError):
            bucket.wait_time(0, 3)
