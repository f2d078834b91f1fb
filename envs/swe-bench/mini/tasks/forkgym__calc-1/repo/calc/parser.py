from .operators import BINARY, SIGN_LEVEL
from .tokens import CalcError, tokenize


class Parser:
    """Turns tokens into nested tuples by precedence climbing."""

    def __init__(self, text):
        self.tokens = tokenize(text)
        self.next = 0

    def parse(self):
        tree = self.expression(1)
        if self.peek().kind != "end":
            raise CalcError(f"unexpected {self.peek().value!r} at {self.peek().place}")
        return tree

    def expression(self, level):
        left = self.operand()
        while True:
            operator = BINARY.get(self.peek().value) if self.peek().kind == "sign" else None
            if operator is None or operator.level < level:
                return left
            sign = self.take().value
            right = self.expression(operator.level + (0 if operator.from_right else 1))
            left = ("binary", sign, left, right)

    def operand(self):
        token = self.take()
        if token.kind == "number":
            return ("number", token.value)
        if token.kind == "name":
            if self.peek().value == "(":
                return ("call", token.value, self.arguments())
            return ("name", token.value)
        if token.value == "-":
            return ("negate", self.expression(SIGN_LEVEL))
        if token.value == "+":
            return self.expression(SIGN_LEVEL)
        if token.value == "(":
            inner = self.expression(1)
            self.expect(")")
            return inner
        raise CalcError(f"expected a value at {token.place}")

    def arguments(self):
        self.expect("(")
        found = []
        if self.peek().value != ")":
            found.append(self.expression(1))
            while self.peek().value == ",":
                self.take()
                found.append(self.expression(1))
        self.expect(")")
        return found

    def peek(self):
        return self.tokens[self.next]

    def take(self):
        token = self.tokens[self.next]
        self.next = min(self.next + 1, len(self.tokens) - 1)
        return token

    def expect(self, sign):
        token = self.take()
        if token.value != sign:
            raise CalcError(f"expected {sign!r} at {token.place}")
