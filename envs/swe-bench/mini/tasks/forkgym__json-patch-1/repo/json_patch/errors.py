class PatchError(ValueError):
    """An operation cannot be done."""


class PointerError(PatchError):
    """A pointer is not well formed, or points nowhere."""
