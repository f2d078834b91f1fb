import unittest

from ini_config import ConfigError, load

TEXT = """
root = /srv
[paths]
data = ${root}/data   
cache = ${data}/cache
# a comment
[server]
port = 8080
debug = Yes
hosts = a, b,
log = ${paths.data}/server.log
"""


class ConfigTest(unittest.TestCase):
    def setUp(self):
        self.config = load(TEXT)

    def test_sections(self):
        self.assertEqual(self.config.sections(), ["paths", "server"])

    def test_references(self):
        self.assertEqual(self.config.get("paths", "cache"), "/srv/data/cache")
        self.assertEqual(self.config.get("server", "log"), "/srv/data/server.log")

    def test_kinds(self):
        self.assertEqual(self.config.get_int("server", "port"), 8080)
        self.assertIs(self.config.get_bool("server", "debug"), True)
        self.assertEqual(self.config.get_list("server", "hosts"), ["a", "b"])
        with self.assertRaises(ConfigError):
            self.config.get_int("server", "debug")

    def test_missing(self):
        self.assertEqual(self.config.get("server", "nope", "x"), "x")
        self.assertIsNone(self.config.get_int("nowhere", "nope", None))
        with self.assertRaises(ConfigError):
            self.config.get("server", "nope")

    def test_bad_lines(self):
        for text in ("[", "[ ]", "words", "= 1"):
            with self.assertRaises(ConfigError):
                load(text)
