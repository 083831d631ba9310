"""Variables that watches see: of a function outside, of a module, of a class, in containers."""

import settings_of_closures as settings


class Rate:
    limit = 3


def counter():
    count = 0
    seen = {"last": None}

    def step(by):
        nonlocal count
        count += by
        seen["last"] = by
        settings.total += by
        Rate.limit -= 1
        return count

    return step


step = counter()
step(2)
step(5)
