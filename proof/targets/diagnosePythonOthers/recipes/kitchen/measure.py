SPOONS = {"tsp": 5, "tbsp": 15, "cup": 250}


def millilitres(amount, unit):
    return amount * SPOONS.get(unit, 1)


def fraction(text):
    whole, _, below = text.partition("/")
    return int(whole) // int(below) if below else int(whole)
