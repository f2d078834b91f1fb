import unittest

from priority_queue import Scheduler


class SchedulerTest(unittest.TestCase):
    def test_runs_what_is_due(self):
        log = []
        scheduler = Scheduler()
        scheduler.at(5, lambda: log.append("five"))
        scheduler.at(2, lambda: log.append("two"))
        self.assertEqual(scheduler.advance(3), 1)
        self.assertEqual((log, scheduler.now), (["two"], 3))
        with self.assertRaises(ValueError):
            scheduler.at(1, print)

    def test_cancel(self):
        scheduler = Scheduler()
        scheduler.after(1, print)
        self.assertTrue(scheduler.cancel(print))
        self.assertEqual(scheduler.advance(9), 0)
