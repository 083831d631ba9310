"""The time."""

from datetime import date


def today():
    return date.today()
