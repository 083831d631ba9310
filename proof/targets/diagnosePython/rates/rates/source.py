"""Where rates come from."""

RATES = {
    ("EUR", "USD", "mon"): 110,
    ("EUR", "USD", "tue"): 120,
    ("EUR", "CHF", "mon"): 95,
    ("EUR", "CHF", "tue"): 94,
}


class Source:
    def __init__(self):
        self.asked = 0

    def rate(self, have, want, day):
        """Hundredths."""
        self.asked += 1
        return RATES[have, want, day]
