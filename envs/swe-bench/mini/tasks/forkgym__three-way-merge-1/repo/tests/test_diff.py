import unittest

from three_way_merge import Edit, edits, patch, unified


class DiffTest(unittest.TestCase):
    def test_edits(self):
        self.assertEqual(edits(list("abc"), list("axc")), [Edit(1, 2, ["x"])])
        self.assertEqual(edits(list("abc"), list("abcd")), [Edit(3, 3, ["d"])])
        self.assertEqual(edits(list("abc"), list("abc")), [])

    def test_patch(self):
        for changed in ("", "abc", "xaybzc", "cab", "bb"):
            self.assertEqual(patch(list("abc"), edits(list("abc"), list(changed))), list(changed))

    def test_unified(self):
        self.assertEqual(unified(list("abc"), list("axc")), [" a", "-b", "+x", " c"])
