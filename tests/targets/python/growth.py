"""Prints by how much the blocks and the references of the interpreter grow while the same is done again and again."""

import gc
import sys


class Point:
    def __init__(self, x, y):
        self.x = x
        self.y = y


def steps(count):
    for number in range(count):
        yield Point(number, {'n': [number]})


def refuse(point):
    raise ValueError(point.x)


def work(count):
    total = 0
    for point in steps(count):
        total += len(str(point.y))
        try:
            refuse(point)
        except ValueError:
            total += 1
    return total


def measured():
    gc.collect()
    return sys.getallocatedblocks(), sys.getrefcount(None), sys.getrefcount(Point)


for _ in range(3):
    work(500)
before = measured()
for _ in range(4):
    work(500)
after = measured()
print(*(b - a for a, b in zip(before, after)))
