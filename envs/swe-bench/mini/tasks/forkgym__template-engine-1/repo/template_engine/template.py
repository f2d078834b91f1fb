from .context import Context
from .parser import parse


class Template:
    """A parsed template; render it as often as you like."""

    def __init__(self, source):
        self._root = parse(source)

    def render(self, names=None):
        return self._root.render(Context({} if names is None else names))


def render(source, **names):
    return Template(source).render(names)
