"""Invoices and their sums."""

from billing.catalogue import article
from billing.tax import percent_of, with_tax


class Invoice:
    def __init__(self, customer):
        self.customer = customer
        self.lines = []

    def add(self, number, pieces=1):
        self.lines.append((article(number), pieces))
        return self

    def net(self):
        return sum(each.cents * pieces for each, pieces in self.lines)

    def gross(self):
        return sum(self.line_gross(each, pieces) for each, pieces in self.lines)

    def line_gross(self, each, pieces):
        return with_tax(each.cents * pieces, percent_of(each.kind))
