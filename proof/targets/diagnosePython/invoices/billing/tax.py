"""Value added tax."""

FULL = 19
REDUCED = 7
REDUCED_KINDS = frozenset({"books", "food", "newspaper"})


def percent_of(kind):
    """Percent of tax for a kind of article."""
    return REDUCED if kind in REDUCED_KINDS else FULL


def with_tax(cents, percent):
    """Rounded to whole cents, half up."""
    return (cents * (100 + percent) + 50) // 100
