from decimal import ROUND_HALF_UP, Decimal

CENT = Decimal('0.01')


def exact(number):
    return Decimal(number)


def cents(amount):
    return amount.quantize(CENT, ROUND_HALF_UP)
