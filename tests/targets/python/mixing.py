"""Calls a C extension (mixed.c, whose folder is the first argument) that calls back, also recursively and with
exceptions that pass through it."""

import sys

sys.path.insert(0, sys.argv[1])
import mixed


def back(number):
    if number == 4:
        return sum(mixed.each(leaf, 2) for _ in range(2))
    return number


def leaf(number):
    return number + 1


def refuse(number):
    raise ValueError(f"no {number}")


def outer(count):
    return mixed.each(back, count)


def caught():
    try:
        return mixed.each(refuse, 3)
    except ValueError:
        return -1


def fall():
    mixed.break_down()


if sys.argv[2:] == ["crash"]:
    fall()
print("loaded", flush=True)
input()
print(outer(4), caught(), outer(2))
