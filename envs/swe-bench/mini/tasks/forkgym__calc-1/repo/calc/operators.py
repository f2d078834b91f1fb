from .tokens import CalcError


def _divide(a, b):
    if b == 0:
        raise CalcError("division by zero")
    return a / b


def _modulo(a, b):
    if b == 0:
        raise CalcError("division by zero")
    return a % b


class Operator:
    def __init__(self, level, apply, from_right=False):
        # A higher level binds tighter.
        self.level = level
        self.apply = apply
        self.from_right = from_right


SIGN_LEVEL = 3

BINARY = {
    "+": Operator(1, lambda a, b: a + b),
    "-": Operator(1, lambda a, b: a - b),
    "*": Operator(2, lambda a, b: a * b),
    "/": Operator(2, _divide),
    "%": Operator(3, _modulo),
    "^": Operator(4, lambda a, b: a**b, from_right=True),
}
