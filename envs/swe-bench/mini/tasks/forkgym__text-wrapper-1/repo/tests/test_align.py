import unittest

from text_wrapper import align, justify


class AlignTest(unittest.TestCase):
    def test_sides(self):
        self.assertEqual(align("ab", 4), "ab  ")
        self.assertEqual(align("ab", 4, "right"), "  ab")
        self.assertEqual(align("ab", 4, "center"), " ab ")

    def test_justify(self):
        self.assertEqual(justify("a b c", 8), "a   b  c")
        self.assertEqual(justify("alone", 9), "alone")
