"""What somebody buys."""

from dataclasses import dataclass

from shop.prices import discount_for, price_of


@dataclass
class Line:
    name: str
    count: int

    def total(self):
        """With the discount for many pieces."""
        return price_of(self.name) * self.count * (100 - discount_for(self.count)) / 100


class Cart:
    def __init__(self, lines=[]):
        self.lines = lines

    def add(self, name, count=1):
        self.lines.append(Line(name, count))

    def total(self):
        return sum(line.total() for line in self.lines)
