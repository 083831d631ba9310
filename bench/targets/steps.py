"""A line read: how many steps. Answers the nanoseconds of processor time that one takes, the least of several goes."""
import sys
import time


def step(number):
    total = 0
    for i in range(number):
        total += i & 3  # here
    if number < 0:
        total = -1  # elsewhere
    return total


steps, goes = (int(word) for word in sys.stdin.readline().split())
least = None
for _ in range(goes):
    began = time.process_time_ns()
    step(steps)
    took = (time.process_time_ns() - began) / steps
    least = took if least is None or took < least else least
print(f"{least:.2f}")
