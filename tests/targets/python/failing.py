"""Exceptions that Python raises, that C raises, that are caught, and that leave a generator."""

import asyncio


class Refused(Exception):
    pass


def refuse(code):
    raise Refused(f"code {code}")


def parse(text):
    return int(text)


def outer(text):
    try:
        return parse(text)
    except ValueError:
        return -1


def steps():
    yield 1


async def fetch(number):
    await asyncio.sleep(0.01)
    return number * 2


async def both():
    return await asyncio.gather(fetch(1), fetch(2))


try:
    refuse(3)
except Refused:
    pass
outer("x")
waiting = steps()
next(waiting)
try:
    waiting.throw(KeyError("thrown"))
except KeyError:
    pass
print(asyncio.run(both()))
