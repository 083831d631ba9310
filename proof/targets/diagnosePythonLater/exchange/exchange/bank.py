RATES = {'EUR': 2, 'USD': 3}


def rate(currency):
    return RATES[currency]
