"""Units of time."""

SECONDS = {"s": 1, "min": 60, "h": 3600}


def seconds_of(unit):
    return SECONDS[unit]
