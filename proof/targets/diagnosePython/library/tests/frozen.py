"""Stops the clock for a test."""

from library import clock


def freeze(day):
    """Has it be this day."""

    def frozen_today():
        return day

    clock.today = frozen_today
    return day
