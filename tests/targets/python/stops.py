"""Commands, a line each: a number, for which work() is called; `thread` does so in a thread."""
import sys
import threading


class Order:
    def __init__(self, number, total):
        self.number = number
        self.total = total

    @property
    def tax(self):
        print("a property ran", flush=True)
        return self.total / 10


def twice(x):
    y = x + x
    return y


def failing(x):
    if x > 0:
        raise ValueError(f"{x} is too much")
    return x


def work(i):
    order = Order(7 + i, 12.5)
    a = twice(i)
    b = a + order.number
    names = [f"n{k}" for k in range(3)]
    try:
        failing(i)
    except ValueError as error:
        b += len(str(error))
    return a + b


ticks = 0
ends = threading.Event()


def tick():
    global ticks
    while not ends.wait(0.01):
        ticks += 1


ticker = threading.Thread(target=tick, name="ticker")
ticker.start()
print("ready", flush=True)
for line in sys.stdin:
    command, _, number = line.strip().partition(" ")
    if command == "work":
        print("done", work(int(number)), flush=True)
    elif command == "thread":
        thread = threading.Thread(target=lambda: print("done", work(int(number)), flush=True))
        thread.start()
        thread.join()
    elif command == "ticks":
        print("ticks", ticks, flush=True)
ends.set()
