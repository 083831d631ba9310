"""A cart whose total forgets the count."""

class Cart:
    def __init__(self):
        self.items = []

    def add(self, name, price, count=1):
        if price < 0:
            raise ValueError("price below zero: %r" % price)
        self.items.append((name, price, count))

    def total(self):
        return sum(price for _, price, _count in self.items)
