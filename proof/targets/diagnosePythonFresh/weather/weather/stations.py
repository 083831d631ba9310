KELVIN = {'Oslo': 268.15, 'Rome': 288.15}


def measure(city):
    return KELVIN[city]
