"""What trips cost."""


def cost(receipts, converter, want="USD"):
    """The sum of receipts `(cents, currency, day)`."""
    return sum(converter.convert(cents, have, want, day) for cents, have, day in receipts)
