"""Calls `wanted` all the time; prints each moment at which it was held up for a millisecond or more: when, and how long, in ms."""

import time

HELD_MS = 1
CALLS = 1000


def wanted(number):
    return number + 1


def main():
    clock = time.monotonic_ns
    before = clock()
    print('ready', flush=True)
    while True:
        for number in range(CALLS):
            wanted(number)
            now = clock()
            if now - before >= HELD_MS * 1_000_000:
                print(before / 1e6, (now - before) / 1e6, flush=True)
                now = clock()
            before = now
        time.sleep(0.001)
        before = clock()


main()
