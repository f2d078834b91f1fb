from .amount import Money
from .invoice import Invoice
from .rounding import divide_half_even
from .split import allocate, split

__all__ = ["Invoice", "Money", "allocate", "divide_half_even", "split"]
