from .amount import Money
from .split import allocate


class Invoice:
    """Lines with a net price, one tax rate, and a discount that is spread over the lines."""

    def __init__(self, tax=19_000, currency="EUR"):
        self.tax = tax
        self.currency = currency
        self.lines = []
        self.discount = Money(0, currency)

    def add(self, name, price, count=1):
        self.lines.append((name, price.times(count)))

    def net(self):
        total = Money(0, self.currency)
        for _, price in self.lines:
            total = total + price
        return total - self.discount

    def tax_amount(self):
        return self.net().percent(self.tax)

    def gross(self):
        return self.net() + self.tax_amount()

    def lines_after_discount(self):
        """The lines, each with its share of the discount taken off."""
        if not self.discount.cents:
            return list(self.lines)
        shares = allocate(self.discount, [price.cents for _, price in self.lines])
        return [(name, price - share) for (name, price), share in zip(self.lines, shares)]
