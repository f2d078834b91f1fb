import unittest

from json_patch import PointerError, look_up, parse_pointer, write_pointer


class PointerTest(unittest.TestCase):
    def test_parse(self):
        self.assertEqual(parse_pointer(""), [])
        self.assertEqual(parse_pointer("/a/0/"), ["a", "0", ""])
        self.assertEqual(parse_pointer("/a~1b/c~0d"), ["a/b", "c~d"])

    def test_write(self):
        self.assertEqual(write_pointer(["a/b", "c~d", 0]), "/a~1b/c~0d/0")

    def test_look_up(self):
        self.assertEqual(look_up({"a": [5, {"b": 6}]}, ["a", "1", "b"]), 6)
        for keys in (["x"], ["a", "2"], ["a", "01"], ["a", "0", "b"]):
            with self.assertRaises(PointerError):
                look_up({"a": [5]}, keys)
