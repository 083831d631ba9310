from club.levels import level

SHARES = {'gold': 30, 'silver': 10, 'bronze': 0}


def discount(points):
    return SHARES[level(points)]
