"""An exception that nothing catches."""


def deep(level):
    if level == 0:
        raise KeyError("missing")
    deep(level - 1)


deep(3)
