"""Reads commands: `order N` prices N items, `refuse` raises what it catches, `fail` what nothing catches."""

import sys
import threading
import time


class ShopError(ValueError):
    pass


class Order:
    def __init__(self, name):
        self.name = name
        self.items = [1, 2, 3]
        self.password = "hunter2"


def price(item, order, factor):
    total = item * factor  # add
    note = {"name": order.name, "password": order.password, "none": None}
    return total, note


def buy(count):
    sum = 0
    for item in range(count):
        sum += price(item, Order("tea"), 2)[0]
    return sum  # after


def refuse():
    try:
        raise ShopError("no tea")  # refused
    except ShopError:
        return "refused"


def idle():
    while True:
        time.sleep(0.01)


threading.Thread(target=idle, daemon=True).start()
print("ready", flush=True)
for line in sys.stdin:
    word, _, rest = line.strip().partition(" ")
    if word == "order":
        print("done", buy(int(rest)), flush=True)
    elif word == "refuse":
        print(refuse(), flush=True)
    elif word == "fail":
        raise KeyError("none")  # uncaught
sys.exit(3)
