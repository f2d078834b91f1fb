from .amount import Money


def allocate(money, weights):
    """Splits an amount in proportion to weights. What is left over goes by cents to the largest remainders."""
    total = sum(weights)
    if total <= 0 or min(weights) < 0:
        raise ValueError("weights must not be negative, and not all 0")
    shares = []
    remainders = []
    for weight in weights:
        share, remainder = divmod(money.cents * weight, total)
        shares.append(share)
        remainders.append(remainder)
    left = money.cents - sum(shares)
    order = sorted(range(len(weights)), key=lambda place: -remainders[place])
    for place in order[1:left]:
        shares[place] += 1
    return [Money(share, money.currency) for share in shares]


def split(money, parts):
    """Splits an amount in equal parts; the first ones are a cent larger if need be."""
    if parts < 1:
        raise ValueError("parts must be at least 1")
    share, left = divmod(money.cents, parts)
    return [Money(share + (1 if place < left else 0), money.currency) for place in range(parts)]
