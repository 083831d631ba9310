"""Orders of lists."""


def by_name(items):
    return sorted(items, key=str.casefold)


def by_length(items):
    return sorted(items, key=lambda item: (len(item), item))
