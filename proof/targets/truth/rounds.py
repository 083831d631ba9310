"""Threads that compute what is known, and say where they are in a file that nobody else writes (argv[1]).

Each wrong result ends the program with status 3. Ends when the first word of the file is not 0.
"""

import mmap
import os
import struct
import sys
import threading
import time

THREADS = 3


class Knobs:
    """Only the debugger sets them."""

    def __init__(self):
        self.large = 1000
        self.small = -7


knobs = Knobs()


class Slot:
    """What a thread says of itself."""

    def __init__(self, page, number):
        self.page = page
        self.at = 64 + 64 * number
        self.parts = 0
        self.leafs = 0

    def say(self, index, value):
        struct.pack_into("<q", self.page, self.at + 8 * index, value)


def leaf(own, x):
    own.leafs += 1
    own.say(5, own.leafs)
    return x * 3 + 1


def part(own, x):
    own.parts += 1
    own.say(4, own.parts)
    total = leaf(own, x)
    total += leaf(own, x + 1)
    return total


def whole(own, start):
    total = 0
    for i in range(4):
        own.say(3, i)
        total += part(own, start + i)
    return total


def work(page, number):
    own = Slot(page, number)
    own.say(0, threading.get_native_id())
    start = number
    rounds = 0
    while page[0] == 0:
        own.say(2, start)
        if whole(own, start) != sum(6 * (start + i) + 5 for i in range(4)):
            os._exit(3)
        rounds += 1
        own.say(1, rounds)
        own.say(6, knobs.large)
        own.say(7, knobs.small)
        start = (start + 7) % 10007
        time.sleep(0.001)


def main():
    file = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT, 0o600)
    os.ftruncate(file, 4096)
    page = mmap.mmap(file, 4096)
    struct.pack_into("<q", page, 16, THREADS)
    threads = [threading.Thread(target=work, args=(page, number)) for number in range(1, THREADS)]
    for thread in threads:
        thread.start()
    work(page, 0)
    for thread in threads:
        thread.join()
    print("right")


main()
