#!/usr/bin/python3
"""A till with a window: a button per article, and what the customer pays."""

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402

PRICES = {"Bread": 250, "Milk": 105, "Salt": 90}


class Basket:
    """What a customer takes, in cents."""

    def __init__(self):
        self.cents = 0

    def add(self, article):
        self.cents += PRICES[article]
        return self.cents


def euros(cents):
    """Cents as the window shows them."""
    return f"{cents // 100}.{cents % 100}"


class Till(Gtk.Window):
    def __init__(self):
        super().__init__(title="Till", default_width=280)
        self.basket = Basket()
        column = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=6, margin=12)
        for article in PRICES:
            button = Gtk.Button(label=article)
            button.connect("clicked", lambda _, name: self.sell(name), article)
            column.add(button)
        self.total = Gtk.Label(label="Total 0.00")
        column.add(self.total)
        self.add(column)
        self.connect("destroy", Gtk.main_quit)

    def sell(self, article):
        cents = self.basket.add(article)
        print(f"{article}: {cents} cents", flush=True)
        self.total.set_text(f"Total {euros(cents)}")


Till().show_all()
print("open", flush=True)
Gtk.main()
