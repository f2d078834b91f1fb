from .pointer import write_pointer


def compare(old, new, keys=()):
    """Operations that turn `old` into `new`."""
    if isinstance(old, dict) and isinstance(new, dict):
        found = []
        for key in old:
            if key not in new:
                found.append({"op": "remove", "path": write_pointer([*keys, key])})
        for key, value in new.items():
            if key not in old:
                found.append({"op": "add", "path": write_pointer([*keys, key]), "value": value})
            else:
                found += compare(old[key], value, [*keys, key])
        return found
    if type(old) is type(new) and old == new:
        return []
    return [{"op": "replace", "path": write_pointer(keys), "value": new}]
