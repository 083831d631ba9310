"""Reads settings."""

from settings.values import duration, switch

KINDS = {"timeout": duration, "retry": switch, "lease": duration}


def pairs(text):
    for line in text.splitlines():
        name, sign, value = line.partition("=")
        if sign:
            yield name.strip(), value


def read(text):
    return {name: KINDS[name](value) for name, value in pairs(text) if name in KINDS}
