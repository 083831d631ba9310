"""Everyday code that computes the same at each run, for stops at random lines."""

import asyncio
import functools
from collections import namedtuple
from dataclasses import dataclass, field

Point = namedtuple("Point", "x y")


@dataclass
class Order:
    number: int
    customer: str
    lines: list = field(default_factory=list)

    @property
    def total(self):
        total = 0
        for price, count in self.lines:
            total += price * count
        return total

    def add(self, price, count=1):
        self.lines.append((price, count))
        return self


class Shelf:
    kinds = ("book", "game")

    def __init__(self, room):
        self.room = room
        self.items = {}

    def put(self, name, size):
        left = self.room - sum(self.items.values())
        if size > left:
            raise ValueError(f"{name} needs {size - left} more")
        self.items[name] = size
        return left - size

    @classmethod
    def of(cls, *sizes):
        shelf = cls(sum(sizes))
        for number, size in enumerate(sizes):
            shelf.put(f"{cls.kinds[number % 2]} {number}", size)
        return shelf

    @staticmethod
    def name(kind, number=0):
        return f"{kind} {number}"


def logged(function):
    calls = 0

    @functools.wraps(function)
    def wrapper(*args, **named):
        nonlocal calls
        calls += 1
        result = function(*args, **named)
        return result

    return wrapper


@logged
def fibonacci(n):
    if n < 2:
        return n
    before = fibonacci(n - 1)
    last = fibonacci(n - 2)
    return before + last


def primes(most):
    found = []
    for number in range(2, most):
        for prime in found:
            if number % prime == 0:
                break
        else:
            found.append(number)
            yield number


def counter(start):
    total = start

    def add(step, /, *, times=1):
        nonlocal total
        for _ in range(times):
            total += step
        return total

    return add


def words(text):
    counts = {}
    for word in text.split():
        key = word.strip(",.").lower()
        counts[key] = counts.get(key, 0) + 1
    longest = max(counts, key=len)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return longest, ordered


def risky(step):
    state = "begun"
    try:
        if step % 3 == 0:
            raise KeyError(step)
        state = "done"
    except KeyError as error:
        state = f"failed {error.args[0]}"
    finally:
        step += 1
    return state, step


def averages(rows):
    means = [sum(row) / len(row) for row in rows]
    squares = {i: mean * mean for i, mean in enumerate(means)}
    largest = None
    for i, square in squares.items():
        if largest is None or square > largest:
            largest = square
            place = i
    return place, largest


async def fetch(name, delay):
    got = len(name)
    await asyncio.sleep(0)
    got += delay
    return got


async def gather(names):
    total = 0
    for delay, name in enumerate(names):
        total += await fetch(name, delay)
    return total


def shape(value):
    match value:
        case Point(x=0, y=y):
            kind = f"on the axis at {y}"
        case Point(x, y) if x == y:
            kind = "on the diagonal"
        case [first, *rest]:
            kind = f"{first} and {len(rest)}"
        case _:
            kind = "unknown"
    return kind


def main():
    results = []
    for turn in range(6):
        order = Order(turn, f"customer {turn}").add(3, turn).add(5)
        results.append(order.total)
        shelf = Shelf.of(1, 2, turn)
        try:
            shelf.put(Shelf.name("lamp"), turn)
        except ValueError as error:
            results.append(str(error))
        results.append(fibonacci(turn))
        results.append(list(primes(10 + turn)))
        add = counter(turn)
        results.append(add(2, times=turn))
        results.append(words("One word, another word. The longest is something."))
        results.append(risky(turn))
        results.append(averages([[1, 2, turn], [turn, 0.5], [7]]))
        results.append(asyncio.run(gather(["a", "bb", "ccc"])))
        results.append([shape(one) for one in (Point(0, turn), Point(2, 2), [1, turn], turn)])
    print(len(str(results)))


if __name__ == "__main__":
    main()
