from .compare import compare
from .errors import PatchError, PointerError
from .patch import apply
from .pointer import look_up, parse_pointer, write_pointer

__all__ = ["PatchError", "PointerError", "apply", "compare", "look_up", "parse_pointer", "write_pointer"]
