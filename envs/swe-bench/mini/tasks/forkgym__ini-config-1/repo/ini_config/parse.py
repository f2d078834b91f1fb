from .errors import ConfigError

DEFAULTS = "defaults"


def parse(text):
    """Sections as dictionaries of raw values. Lines before the first section belong to `defaults`."""
    sections = {DEFAULTS: {}}
    current = sections[DEFAULTS]
    for number, line in enumerate(text.splitlines(), start=1):
        line = line.strip()
        if not line or line[0] in "#;":
            continue
        if line[0] == "[":
            if line[-1] != "]" or not line[1:-1].strip():
                raise ConfigError(f"line {number}: bad section {line!r}")
            current = sections.setdefault(line[1:-1].strip(), {})
            continue
        key, found, value = line.partition("=")
        if not found or not key.strip():
            raise ConfigError(f"line {number}: expected `key = value`, got {line!r}")
        current[key.strip()] = value.strip()
    return sections
