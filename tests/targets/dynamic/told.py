"""Calls that a tracer tells of: told.py <tracer> <engine> <ring>"""
import asyncio
import ctypes
import dataclasses
import sys
import threading

tracer = ctypes.PyDLL(sys.argv[1])
if tracer.pt_start(sys.argv[2].encode(), sys.argv[3].encode(), b"told.py", b"", 1 << 20) != 0:
    sys.exit(3)


@dataclasses.dataclass
class Point:
    x: int
    y: object


def add(a, b):
    return a + b


def steps(n):
    for i in range(n):
        yield i


def boom(x):
    raise ValueError("no %s" % x)


def outer(x):
    try:
        boom(x)
    except ValueError as e:
        return e


async def later(n):
    await asyncio.sleep(0)
    return add(n, n)


def keep(value):
    return value


add(1, 2)
add("a", "b\xe9\u20ac")
add(1.5, 2**80)
list(steps(2))
outer("q")
asyncio.run(later(21))
cyclic = []
cyclic.append(cyclic)
for value in (cyclic, Point(1, [None]), {1, 2}, b"xx", True, {"a": (2, 3)}, -70000, 10**12):
    keep(value)
thread = threading.Thread(target=add, args=(5, 6))
thread.start()
thread.join()
tracer.pt_stop()
