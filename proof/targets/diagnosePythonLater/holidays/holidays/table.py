DAYS = {('NO', 2026): 9, ('NO', 2027): 7, ('SE', 2026): 11}


def look_up(country, year):
    return DAYS[country, year]
