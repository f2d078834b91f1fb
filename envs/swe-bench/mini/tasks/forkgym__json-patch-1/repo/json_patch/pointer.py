from .errors import PointerError


def parse_pointer(text):
    """The keys of a pointer such as `/a/0/b`; `~1` stands for a slash and `~0` for a tilde."""
    if text == "":
        return []
    if text[0] != "/":
        raise PointerError(f"a pointer starts with a slash: {text!r}")
    return [part.replace("~0", "~").replace("~1", "/") for part in text[1:].split("/")]


def write_pointer(keys):
    return "".join("/" + str(key).replace("~", "~0").replace("/", "~1") for key in keys)


def index(keys, key, length):
    """The place in a list of that length that a key means."""
    if not key.isdigit() or (len(key) > 1 and key[0] == "0"):
        raise PointerError(f"not a place in a list: {write_pointer(keys)}")
    if int(key) >= length:
        raise PointerError(f"beyond the end of the list: {write_pointer(keys)}")
    return int(key)


def look_up(document, keys):
    """The value at the keys."""
    value = document
    for depth, key in enumerate(keys, start=1):
        if isinstance(value, list):
            value = value[index(keys[:depth], key, len(value))]
        elif isinstance(value, dict) and key in value:
            value = value[key]
        else:
            raise PointerError(f"nothing at {write_pointer(keys[:depth])}")
    return value
