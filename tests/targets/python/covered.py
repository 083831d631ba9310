"""Half of it runs."""


def sign(number):
    if number > 0:
        return 1
    if number < 0:
        return -1
    return 0


def unused(number):
    total = 0
    for one in range(number):
        total += one
    return total


def squares(most):
    for number in range(most):
        yield number * number


print([sign(number) for number in (3, 4, 5)], sum(squares(4)))
