import unittest

from json_patch import PatchError, apply, compare


class PatchTest(unittest.TestCase):
    def test_add_replace_remove(self):
        document = {"a": [1, 3]}
        operations = [
            {"op": "add", "path": "/a/1", "value": 2},
            {"op": "add", "path": "/a/-", "value": 4},
            {"op": "replace", "path": "/a/0", "value": 0},
            {"op": "remove", "path": "/a/2"},
        ]
        self.assertEqual(apply(document, operations), {"a": [0, 2, 4]})

    def test_changes_what_it_is_given(self):
        document = {"a": 1}
        self.assertIs(apply(document, [{"op": "add", "path": "/b", "value": 2}]), document)
        self.assertEqual(document, {"a": 1, "b": 2})

    def test_move_and_copy(self):
        document = {"a": {"b": 1}, "c": []}
        apply(document, [{"op": "move", "from": "/a/b", "path": "/d"}])
        apply(document, [{"op": "copy", "from": "/d", "path": "/c/0"}])
        self.assertEqual(document, {"a": {}, "c": [1], "d": 1})

    def test_failures(self):
        for operation in (
            {"op": "remove", "path": "/x"},
            {"op": "add", "path": "/a/5", "value": 1},
            {"op": "test", "path": "/a", "value": [2]},
            {"op": "move", "from": "/a", "path": "/a/0"},
            {"op": "jump", "path": ""},
            {"op": "replace", "path": "a", "value": 1},
        ):
            with self.assertRaises(PatchError):
                apply({"a": [1]}, [operation])

    def test_compare(self):
        old, new = {"a": 1, "b": {"c": [1]}}, {"b": {"c": [2]}, "d/e": 0}
        self.assertEqual(apply(old, compare(old, new)), new)
