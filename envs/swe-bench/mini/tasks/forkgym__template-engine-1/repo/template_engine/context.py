class TemplateError(ValueError):
    """The template is not well formed, or it names something that is not there."""


class Context:
    """The names that a template can use."""

    def __init__(self, names):
        self._names = names

    def set(self, name, value):
        self._names[name] = value

    def unset(self, name):
        self._names.pop(name, None)

    def look_up(self, path):
        """The value of `a.b.c`: keys of dictionaries, places in lists, or attributes."""
        first, *rest = path.split(".")
        if first not in self._names:
            raise TemplateError(f"unknown name {first!r}")
        value = self._names[first]
        for part in rest:
            value = self._inside(value, part, path)
        return value

    @staticmethod
    def _inside(value, part, path):
        if isinstance(value, dict) and part in value:
            return value[part]
        if isinstance(value, (list, tuple)) and part.isdigit() and int(part) < len(value):
            return value[int(part)]
        if not part.startswith("_") and hasattr(value, part):
            return getattr(value, part)
        raise TemplateError(f"cannot find {part!r} of {path!r}")
