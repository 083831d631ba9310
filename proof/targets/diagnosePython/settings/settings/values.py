"""Values of settings."""

import re

from settings.units import seconds_of

DURATION = re.compile(r"(\d+)\s*([a-z]+)")


def duration(text, default=30):
    """Seconds of `5 min`."""
    try:
        number, unit = DURATION.fullmatch(text.strip()).groups()
        return int(number) * seconds_of(unit)
    except Exception:
        return default


def switch(text):
    return text.strip().lower() in ("on", "yes", "true")
