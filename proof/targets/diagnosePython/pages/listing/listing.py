"""A list that is shown in pages."""

from listing.order import by_length, by_name
from listing.window import bounds, page_count

ORDERS = {"name": by_name, "length": by_length}


class Listing:
    def __init__(self, items, size=3, order="name"):
        self.items = ORDERS[order](items)
        self.size = size

    @property
    def pages(self):
        return page_count(len(self.items), self.size)

    def page(self, number):
        first, behind = bounds(number, self.size, len(self.items))
        return self.items[first:behind]

    def footer(self, number):
        return f"page {number} of {self.pages}"
