from .context import TemplateError
from .filters import apply_filter


class Text:
    def __init__(self, text):
        self.text = text

    def render(self, context):
        return self.text


class Expression:
    """A path or a quoted text, and filters."""

    def __init__(self, source):
        self.path, *self.filters = [part.strip() for part in source.split("|")]

    def value(self, context):
        if len(self.path) > 1 and self.path[0] == self.path[-1] == '"':
            value = self.path[1:-1]
        else:
            value = context.look_up(self.path)
        for name in self.filters:
            value = apply_filter(name, value)
        return value

    def render(self, context):
        return str(self.value(context))


class Block:
    def __init__(self, nodes):
        self.nodes = nodes

    def render(self, context):
        return "".join(node.render(context) for node in self.nodes)


class If:
    def __init__(self, condition, then, otherwise):
        self.condition = condition
        self.then = then
        self.otherwise = otherwise

    def render(self, context):
        return (self.then if self.condition.value(context) else self.otherwise).render(context)


class For:
    def __init__(self, name, items, body):
        self.name = name
        self.items = items
        self.body = body

    def render(self, context):
        items = self.items.value(context)
        if isinstance(items, str):
            raise TemplateError("cannot loop over a text")
        items = list(items)
        out = []
        for number, item in enumerate(items, start=1):
            context.set(self.name, item)
            context.set("loop", {"index": number, "last": number == len(items)})
            out.append(self.body.render(context))
        context.unset(self.name)
        context.unset("loop")
        return "".join(out)


class With:
    def __init__(self, name, value, body):
        self.name = name
        self.value = value
        self.body = body

    def render(self, context):
        context.set(self.name, self.value.value(context))
        out = self.body.render(context)
        context.unset(self.name)
        return out
