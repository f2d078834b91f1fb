from .errors import PatchError, PointerError
from .pointer import index, look_up, parse_pointer, write_pointer


def apply(document, operations):
    """Applies operations to a document and gives the document."""
    for number, operation in enumerate(operations):
        try:
            document = _one(document, operation)
        except PatchError as error:
            raise PatchError(f"operation {number}: {error}") from None
    return document


def _one(document, operation):
    kind = operation.get("op")
    keys = parse_pointer(operation["path"])
    if kind == "add":
        return _add(document, keys, operation["value"])
    if kind == "remove":
        _remove(document, keys)
        return document
    if kind == "replace":
        look_up(document, keys)
        if not keys:
            return operation["value"]
        _remove(document, keys)
        return _add(document, keys, operation["value"])
    if kind == "test":
        if look_up(document, keys) != operation["value"]:
            raise PatchError(f"the test of {operation['path']!r} failed")
        return document
    if kind == "copy":
        return _add(document, keys, look_up(document, parse_pointer(operation["from"])))
    if kind == "move":
        source = parse_pointer(operation["from"])
        if keys[: len(source)] == source and keys != source:
            raise PatchError("cannot move a value into itself")
        value = look_up(document, source)
        if keys == source:
            return document
        _remove(document, source)
        return _add(document, keys, value)
    raise PatchError(f"unknown operation {kind!r}")


def _add(document, keys, value):
    if not keys:
        return value
    parent = look_up(document, keys[:-1])
    key = keys[-1]
    if isinstance(parent, list):
        place = len(parent) if key == "-" else index(keys, key, len(parent) + 1)
        parent.insert(place, value)
    elif isinstance(parent, dict):
        parent[key] = value
    else:
        raise PointerError(f"nothing can be added at {write_pointer(keys)}")
    return document


def _remove(document, keys):
    look_up(document, keys)
    if not keys:
        raise PatchError("cannot remove the whole document")
    parent = look_up(document, keys[:-1])
    if isinstance(parent, list):
        del parent[int(keys[-1])]
    else:
        del parent[keys[-1]]
