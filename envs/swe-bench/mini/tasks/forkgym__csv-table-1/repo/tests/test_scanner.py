import unittest

from csv_table import CsvError, scan


class ScannerTest(unittest.TestCase):
    def test_plain(self):
        self.assertEqual(scan("a,b\n1,2\n"), [["a", "b"], ["1", "2"]])
        self.assertEqual(scan("a,b\r\n1,"), [["a", "b"], ["1", ""]])

    def test_quoted(self):
        self.assertEqual(scan('"a,b",c'), [["a,b", "c"]])
        self.assertEqual(scan('"two\nlines",c'), [["two\nlines", "c"]])

    def test_empty_fields_and_lines(self):
        self.assertEqual(scan('"",x\n\n,'), [["", "x"], ["", ""]])

    def test_other_delimiter(self):
        self.assertEqual(scan("a;b,c", delimiter=";"), [["a", "b,c"]])

    def test_open_quote(self):
        with self.assertRaises(CsvError):
            scan('a,"b')
