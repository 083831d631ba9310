"""Rounds that take about a millisecond each, for ever."""
import time


def part(number, factor):
    if number < 0:
        return 0  # never
    total = number
    product = total * factor  # here
    total += product
    total ^= number
    product -= total
    total += factor
    return total + product


number = 0
while True:
    part(number, 3)
    number += 1
    time.sleep(0.001)
