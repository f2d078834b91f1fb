import re

from .errors import ConfigError
from .parse import DEFAULTS

REFERENCE = re.compile(r"\$\{([^}]*)\}")
DEEPEST = 8


class Resolver:
    """Replaces the references in values."""

    def __init__(self, sections):
        self.sections = sections

    def value(self, section, key, depth=0):
        """The value with all references replaced. Raises KeyError if there is none."""
        if depth > DEEPEST:
            raise ConfigError("too many references")
        raw = self._raw(section, key)
        return REFERENCE.sub(lambda match: self._refer(section, match.group(1), depth), raw)

    def _refer(self, section, name, depth):
        other, dot, key = name.rpartition(".")
        return self.value(other.strip() if dot else section, key.strip(), depth + 1)

    def _raw(self, section, key):
        own = self.sections[section]
        if key in own:
            return own[key]
        return self.sections[DEFAULTS][key]
