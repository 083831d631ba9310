from kitchen.measure import fraction, millilitres


def ingredient(line):
    amount, unit, name = line.split(" ", 2)
    return {"name": name, "ml": millilitres(fraction(amount), unit)}
