VALUES = {'dime': 0.1, 'double': 0.2, 'half': 0.5}


def value(coin):
    return VALUES[coin]
