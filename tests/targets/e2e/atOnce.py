"""For each line of its input two threads call a function that many times, at the same time."""
import sys
import threading


def left(n):
    return n + 1


def right(n):
    return n + 2


def work(call, times):
    for i in range(times):
        call(i)
        for _ in range(2000):
            pass


print("ready", flush=True)
for line in sys.stdin:
    threads = [threading.Thread(target=work, args=(one, int(line))) for one in (left, right)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print("done", int(line), flush=True)
