from exchange import bank


def pretend(value):
    bank.rate = lambda currency: value
