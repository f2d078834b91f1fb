from .context import TemplateError
from .nodes import Block, Expression, For, If, Text, With


def pieces(source):
    """Yields ("text" | "value" | "tag", content)."""
    place = 0
    while place < len(source):
        starts = [at for at in (source.find("{{", place), source.find("{%", place)) if at >= 0]
        if not starts:
            yield "text", source[place:]
            return
        start = min(starts)
        if start > place:
            yield "text", source[place:start]
        close = "}}" if source[start + 1] == "{" else "%}"
        end = source.find(close, start)
        if end < 0:
            raise TemplateError(f"{source[start : start + 2]} at {start} is not closed")
        yield ("value" if close == "}}" else "tag"), source[start + 2 : end].strip()
        place = end + 2


def parse(source):
    block, tag = _block(pieces(source), ())
    return block


def _block(stream, until):
    nodes = []
    for kind, content in stream:
        if kind == "text":
            nodes.append(Text(content))
        elif kind == "value":
            nodes.append(Expression(content))
        elif content in until:
            return Block(nodes), content
        else:
            nodes.append(_tag(content, stream))
    if until:
        raise TemplateError(f"missing {until[-1]}")
    return Block(nodes), None


def _tag(content, stream):
    word, _, rest = content.partition(" ")
    if word == "if":
        then, tag = _block(stream, ("else", "endif"))
        otherwise = _block(stream, ("endif",))[0] if tag == "else" else Block([])
        return If(Expression(rest), then, otherwise)
    if word == "for":
        name, found, items = rest.partition(" in ")
        if not found:
            raise TemplateError(f"expected `for name in items`, got {content!r}")
        return For(name.strip(), Expression(items), _block(stream, ("endfor",))[0])
    if word == "with":
        name, found, value = rest.partition("=")
        if not found:
            raise TemplateError(f"expected `with name = value`, got {content!r}")
        return With(name.strip(), Expression(value), _block(stream, ("endwith",))[0])
    raise TemplateError(f"unknown tag {word!r}")
