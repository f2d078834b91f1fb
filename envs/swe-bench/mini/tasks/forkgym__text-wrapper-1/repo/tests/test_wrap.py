import unittest

from text_wrapper import fill, wrap


class WrapTest(unittest.TestCase):
    def test_short_text_is_one_line(self):
        self.assertEqual(wrap("hello there", 40), ["hello there"])

    def test_breaks_between_words(self):
        self.assertEqual(wrap("the quick brown fox", 12), ["the quick", "brown fox"])

    def test_no_words(self):
        self.assertEqual(wrap("   ", 10), [])

    def test_long_word_is_cut(self):
        self.assertEqual(wrap("abcdefgh", 3), ["abc", "def", "gh"])

    def test_bad_width(self):
        with self.assertRaises(ValueError):
            wrap("a", 0)


class FillTest(unittest.TestCase):
    def test_paragraphs_and_indent(self):
        text = "one two\nthree\n\nfour"
        self.assertEqual(fill(text, 20, "> "), "> one two three\n\n> four")
