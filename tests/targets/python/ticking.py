# A round every 20 ms until SIGTERM; from SIGUSR2 on a module is part of it that was not loaded before.
import signal
import sys
import time


class Beat:
    def __init__(self, number):
        self.round = number


later = None


def tick(beat):
    return beat.round * 2


def also(number):
    return number


def turn():
    number = 0
    while True:
        number += 1
        tick(Beat(number))
        also(number)
        if later:
            later.extra(number)
        print(f"round {number}", flush=True)
        time.sleep(0.02)


def load(*_):
    global later
    import late

    later = late


signal.signal(signal.SIGUSR2, load)
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
turn()
