"""Fees for what is late."""

PER_DAY = 10


def fee(days):
    return max(0, days) * PER_DAY
