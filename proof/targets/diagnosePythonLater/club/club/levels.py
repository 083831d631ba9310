LEVELS = [(100, 'gold'), (50, 'silver'), (0, 'bronze')]


def level(points):
    for least, name in LEVELS:
        if points > least:
            return name
    return 'bronze'
