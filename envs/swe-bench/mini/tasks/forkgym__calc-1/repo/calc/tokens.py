class CalcError(ValueError):
    """The text is not an expression, or it cannot be computed."""


class Token:
    def __init__(self, kind, value, place):
        self.kind = kind
        self.value = value
        self.place = place

    def __repr__(self):
        return f"Token({self.kind}, {self.value!r}, {self.place})"


def tokenize(text):
    """Tokens of kind "number", "name" or "sign", and one of kind "end"."""
    tokens = []
    place = 0
    while place < len(text):
        char = text[place]
        if char.isspace():
            place += 1
        elif char.isdigit() or char == ".":
            start = place
            while place < len(text) and (text[place].isdigit() or text[place] == "."):
                place += 1
            tokens.append(Token("number", _number(text[start:place], start), start))
        elif char.isalpha() or char == "_":
            start = place
            while place < len(text) and (text[place].isalnum() or text[place] == "_"):
                place += 1
            tokens.append(Token("name", text[start:place], start))
        elif char in "+-*/%^(),":
            tokens.append(Token("sign", char, place))
            place += 1
        else:
            raise CalcError(f"unexpected {char!r} at {place}")
    tokens.append(Token("end", None, len(text)))
    return tokens


def _number(text, place):
    try:
        return float(text) if "." in text else int(text)
    except ValueError:
        raise CalcError(f"bad number {text!r} at {place}") from None
