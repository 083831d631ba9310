"""Greenlets that take turns on one thread."""

import greenlet


def give(item):
    return item * 2


def worker(name, other):
    total = 0
    for item in range(3):
        total += give(item)
        other[0].switch()
    return total


def main():
    others = [[None], [None]]
    first = greenlet.greenlet(lambda: worker('first', others[0]))
    second = greenlet.greenlet(lambda: worker('second', others[1]))
    others[0][0] = second
    others[1][0] = first
    first.switch()
    while not (first.dead and second.dead):
        (second if first.dead else first).switch()
    print(first.dead, second.dead)


main()
