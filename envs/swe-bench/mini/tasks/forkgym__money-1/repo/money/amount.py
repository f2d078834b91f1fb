from .rounding import divide_half_even


class Money:
    """A number of cents in a currency."""

    def __init__(self, cents, currency="EUR"):
        self.cents = cents
        self.currency = currency

    @classmethod
    def parse(cls, text):
        """Reads `12.34 EUR`, `-0.05 EUR` or `7 EUR`."""
        number, _, currency = text.strip().partition(" ")
        sign = -1 if number.startswith("-") else 1
        whole, _, part = number.lstrip("-").partition(".")
        if len(part) > 2:
            raise ValueError(f"more than two decimals: {text!r}")
        return cls(sign * (int(whole) * 100 + int(part.ljust(2, "0"))), currency or "EUR")

    def __str__(self):
        sign = "-" if self.cents < 0 else ""
        whole, part = divmod(abs(self.cents), 100)
        return f"{sign}{whole}.{part:02d} {self.currency}"

    def __repr__(self):
        return f"Money({self.cents}, {self.currency!r})"

    def __eq__(self, other):
        return isinstance(other, Money) and (self.cents, self.currency) == (other.cents, other.currency)

    def __hash__(self):
        return hash((self.cents, self.currency))

    def __add__(self, other):
        self._same_currency(other)
        return Money(self.cents + other.cents, self.currency)

    def __sub__(self, other):
        self._same_currency(other)
        return Money(self.cents - other.cents, self.currency)

    def __neg__(self):
        return Money(-self.cents, self.currency)

    def times(self, number):
        return Money(self.cents * number, self.currency)

    def percent(self, thousandths):
        """A share in thousandths of a percent: 19 % is 19000."""
        return Money(divide_half_even(self.cents * thousandths, 100_000), self.currency)

    def _same_currency(self, other):
        if self.currency != other.currency:
            raise ValueError(f"cannot mix {self.currency} and {other.currency}")
