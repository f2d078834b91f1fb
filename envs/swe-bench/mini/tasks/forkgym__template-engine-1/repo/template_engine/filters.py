from .context import TemplateError

FILTERS = {
    "upper": lambda value: str(value).upper(),
    "lower": lambda value: str(value).lower(),
    "trim": lambda value: str(value).strip(),
    "length": len,
    "join": lambda value: ", ".join(map(str, value)),
    "escape": lambda value: str(value).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"),
}


def apply_filter(name, value):
    if name not in FILTERS:
        raise TemplateError(f"unknown filter {name!r}")
    return FILTERS[name](value)
