from .operators import BINARY
from .parser import Parser
from .tokens import CalcError

FUNCTIONS = {"abs": abs, "max": max, "min": min, "round": round}


class Calculator:
    """Evaluates expressions with names that it remembers."""

    def __init__(self, names=None):
        self.names = dict(names or {})

    def set(self, name, text):
        self.names[name] = self.evaluate(text)
        return self.names[name]

    def evaluate(self, text):
        return self._value(Parser(text).parse())

    def _value(self, tree):
        kind = tree[0]
        if kind == "number":
            return tree[1]
        if kind == "name":
            if tree[1] not in self.names:
                raise CalcError(f"unknown name {tree[1]}")
            return self.names[tree[1]]
        if kind == "negate":
            return -self._value(tree[1])
        if kind == "call":
            if tree[1] not in FUNCTIONS:
                raise CalcError(f"unknown function {tree[1]}")
            return FUNCTIONS[tree[1]](*[self._value(one) for one in tree[2]])
        _, sign, left, right = tree
        return BINARY[sign].apply(self._value(left), self._value(right))


def evaluate(text, **names):
    return Calculator(names).evaluate(text)
