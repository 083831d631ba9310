"""Runs also where the interpreter looks for modules nowhere (-I -S -E)."""


def tally(names):
    return len(names)


print(tally(['a', 'b']))
