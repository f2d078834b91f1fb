from .scanner import CsvError, scan
from .table import Table, read_table
from .writer import write_rows, write_table

__all__ = ["CsvError", "Table", "read_table", "scan", "write_rows", "write_table"]
