import unittest

from three_way_merge import Conflict, markers, merge3


class MergeTest(unittest.TestCase):
    def merge(self, base, ours, theirs):
        return merge3(list(base), list(ours), list(theirs))

    def test_one_side_only(self):
        self.assertEqual(self.merge("abc", "axc", "abc").lines, list("axc"))
        self.assertEqual(self.merge("abc", "abc", "abcd").lines, list("abcd"))

    def test_both_sides_in_different_places(self):
        merged = self.merge("abcdef", "aXcdef", "abcdYf")
        self.assertEqual((merged.lines, merged.conflicts), (list("aXcdYf"), []))

    def test_conflict(self):
        merged = self.merge("abc", "axc", "ayc")
        self.assertEqual(merged.conflicts, [Conflict(["x"], ["y"])])
        self.assertEqual(
            markers(merged), ["a", "<<<<<<< ours", "x", "=======", "y", ">>>>>>> theirs", "c"]
        )
