from .errors import ConfigError
from .parse import DEFAULTS, parse
from .resolve import Resolver

TRUE = {"yes", "true", "on", "1"}
FALSE = {"no", "false", "off", "0"}
_MISSING = object()


class Config:
    """Values of sections, as text, numbers, truth values or lists."""

    def __init__(self, sections):
        self._sections = sections
        self._resolver = Resolver(sections)

    def sections(self):
        return [name for name in self._sections if name != DEFAULTS]

    def keys(self, section):
        return list(self._sections[section])

    def get(self, section, key, default=_MISSING):
        """The text of a value; `default`, if given, when there is no such section or key."""
        try:
            return self._resolver.value(section, key)
        except KeyError:
            if default is _MISSING:
                raise ConfigError(f"no {section}.{key}") from None
            return default

    def get_int(self, section, key, default=_MISSING):
        value = self.get(section, key, default)
        if not isinstance(value, str):
            return value
        try:
            return int(value)
        except ValueError:
            raise ConfigError(f"{section}.{key}: expected a whole number, got {value!r}") from None

    def get_bool(self, section, key, default=_MISSING):
        value = self.get(section, key, default)
        if not isinstance(value, str):
            return value
        if value.lower() in TRUE:
            return True
        if value.lower() in FALSE:
            return False
        raise ConfigError(f"{section}.{key}: expected yes or no, got {value!r}")

    def get_list(self, section, key, default=_MISSING):
        value = self.get(section, key, default)
        if not isinstance(value, str):
            return value
        return [part.strip() for part in value.split(",") if part.strip()]

    def as_dict(self, section):
        """All values of a section, without the defaults."""
        return {key: self.get(section, key) for key in self.keys(section)}


def load(text):
    return Config(parse(text))
