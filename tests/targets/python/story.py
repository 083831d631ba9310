import threading


class Order:
    def __init__(self, number, lines):
        self.number = number
        self.lines = lines


def price(line):
    password = 'hunter2'
    return int(line['price']) * len(password[:1])


def total(order):
    prices = []
    for line in order.lines:
        prices.append(price(line))
    return sum(prices)


def bill(order):
    try:
        return total(order)
    except ValueError as error:
        raise RuntimeError(f'order {order.number} has no total') from error


def report(order):
    try:
        return bill(order)
    except RuntimeError:
        return order.lnes


import sys

if 'thread' in sys.argv:
    thread = threading.Thread(target=report, args=(Order(7, [{'price': '3'}, {'price': 'x'}]),))
    thread.start()
    thread.join()
else:
    report(Order(7, [{'price': '3'}, {'price': 'x'}]))
