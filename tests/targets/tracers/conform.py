"""What every tracer is tried on (tests/integration/tracers/conformance.ts), in Python: carries out one command a
line, from standard input or from its arguments, and says on standard output what came of it."""

import subprocess
import sys
import threading
import time

total = 0


class Gauge:
    def __init__(self):
        self.reading = 0


gauge = Gauge()


def add(a, b):
    return a + b


def inner(n):
    return n * 2


def outer(n):
    return inner(n) + inner(n + 1)


def depth(n):
    return 0 if n == 0 else 1 + depth(n - 1)


def work(n):
    return n + 100


def tick(n):
    return n & 1


def fails(why):
    raise RuntimeError(why)


def text(shown):
    return 0 if shown is None else len(shown)


def blind(wild):
    return 8


def nap(ms):
    time.sleep(ms / 1000)
    return ms


def bump(n):
    global total
    total += n
    gauge.reading += 2 * n
    return total


class Wild:
    """Whatever looks at it is ended."""

    def __getattribute__(self, name):
        raise SystemExit(f"{name} was looked up")

    def __repr__(self):
        raise SystemExit("it was shown")

    __str__ = __len__ = __hash__ = __eq__ = __bool__ = __iter__ = __repr__


def child():
    sys.stdout.flush()
    done = subprocess.run([sys.executable, __file__, "add 20 22"], check=False)
    print("child", done.returncode)


def hostile():
    print(text("\x1b[31m\"]}\n\udcff\udcfe") + text("x" * 100_000) + text(None))
    print(blind(Wild()))


def carry_out(line):
    word, *rest = line.split(" ")
    if word == "add":
        print(add(int(rest[0]), int(rest[1])))
    elif word == "outer":
        print(outer(int(rest[0])))
    elif word == "depth":
        print(depth(int(rest[0])))
    elif word == "nap":
        print(nap(int(rest[0])))
    elif word == "bump":
        print(bump(int(rest[0])))
    elif word == "threads":
        threads = [threading.Thread(target=work, args=(n,)) for n in range(int(rest[0]))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print(rest[0], "threads")
    elif word == "many":
        print(sum(tick(n) for n in range(int(rest[0]))))
    elif word == "fail":
        try:
            fails(rest[0])
        except RuntimeError as error:
            print("caught", error)
    elif word == "hostile":
        hostile()
    elif word == "child":
        child()
    elif word == "exit":
        sys.stdout.flush()
        sys.exit(int(rest[0]))
    else:
        print("what?", line)
    sys.stdout.flush()


def main():
    if len(sys.argv) > 1:
        for line in sys.argv[1:]:
            carry_out(line)
        return
    for line in sys.stdin:
        carry_out(line.rstrip("\n"))


if __name__ == "__main__":
    main()
