import unittest

from csv_table import CsvError, read_table, write_rows, write_table

TEXT = "name,city\nAda,London\nAlan,Wilmslow\n"


class TableTest(unittest.TestCase):
    def test_columns_and_records(self):
        table = read_table(TEXT)
        self.assertEqual(table.column("name"), ["Ada", "Alan"])
        self.assertEqual(table.records()[1], {"name": "Alan", "city": "Wilmslow"})

    def test_where_and_sort(self):
        table = read_table(TEXT)
        self.assertEqual(len(table.where(city="London")), 1)
        self.assertEqual(table.sort("city", key=len).column("name"), ["Ada", "Alan"])

    def test_row_of_another_length(self):
        with self.assertRaises(CsvError):
            read_table("a,b\n1\n")

    def test_write(self):
        self.assertEqual(write_table(read_table(TEXT)), TEXT)
        self.assertEqual(write_rows([["a,b", None, 3]]), '"a,b",,3\n')
        self.assertEqual(write_rows([['say "hi"']]), '"say ""hi"""\n')
