"""Prints what a call costs, in ns, without its loop: the best of many rounds. The first argument says who looks on."""

import sys
import time

ROUNDS = 300
CALLS = 10_000


def wanted(number):
    return number + 1


def other(number):
    return number + 1


def many(function):
    for number in range(CALLS):
        function(number)


def empty(_):
    for _ in range(CALLS):
        pass


def best(work, argument):
    least = float('inf')
    for _ in range(ROUNDS):
        began = time.perf_counter()
        work(argument)
        least = min(least, time.perf_counter() - began)
    return least


def by_profile():
    kept = []
    clock = time.perf_counter_ns

    def see(frame, event, argument):
        if event == 'call':
            kept.append((clock(), frame.f_code, frame.f_locals.get('number')))
        elif event == 'return':
            kept.append((clock(), argument))
        if len(kept) > CALLS:
            kept.clear()

    sys.setprofile(see)


def by_viztracer():
    from viztracer import VizTracer

    VizTracer(tracer_entries=100_000, verbose=0, max_stack_depth=-1).start()


looks = {'profile': by_profile, 'viztracer': by_viztracer}
looks.get(sys.argv[1], lambda: None)()
loop = best(empty, None)
print(*(round((best(many, function) - loop) / CALLS * 1e9, 2) for function in (wanted, other)), flush=True)
