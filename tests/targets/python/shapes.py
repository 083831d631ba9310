"""Values of every kind, and a class that ends the process that runs any of its code."""

import collections
import dataclasses
import datetime
import decimal
import enum
import pathlib


class Color(enum.Enum):
    RED = 1


class Level(enum.IntEnum):
    HIGH = 3


@dataclasses.dataclass
class Point:
    x: int
    y: object


class Slots:
    __slots__ = ("left", "right")


Pair = collections.namedtuple("Pair", "first second")


class Meta(type):
    def __repr__(cls):
        raise SystemExit("the class was shown")

    def __getattribute__(cls, name):
        raise SystemExit(f"{name} of the class was looked up")

    def __instancecheck__(cls, other):
        raise SystemExit("it was asked what is one")


class Hostile(metaclass=Meta):
    def __init__(self):
        object.__setattr__(self, "kept", 7)

    def __getattribute__(self, name):
        raise SystemExit(f"{name} was looked up")

    def __repr__(self):
        raise SystemExit("it was shown")

    @property
    def shown(self):
        raise SystemExit("a property ran")

    __str__ = __len__ = __hash__ = __eq__ = __bool__ = __iter__ = __getitem__ = __repr__


def take(value):
    return value


def take_hostile(value):
    return 1


def counting(limit):
    for number in range(limit):
        yield number


def main():
    slots = Slots()
    slots.left = 1
    cycle = []
    cycle.append(cycle)
    values = [
        None, True, -5, 10**30, 1.5, "naïve", "日本", b"ab", [], (1, "a"), {"k": [1]}, {1},
        Color.RED, Level.HIGH, Point(1, Point(2, None)), Pair(1, 2), slots, cycle,
        decimal.Decimal("-12.50"), datetime.date(2020, 1, 2),
        datetime.datetime(2020, 1, 2, 3, 4, 5, tzinfo=datetime.timezone.utc),
        datetime.timedelta(days=1, seconds=5), pathlib.Path("/a/b"), ValueError("v"), len, int, take,
    ]
    for value in values:
        take(value)
    take_hostile(Hostile())
    list(counting(2))
    print("done")


main()
