EMPTY = '.'


def bed(rows, columns):
    return [[EMPTY] * columns] * rows


def draw(plants):
    return '/'.join(''.join(row) for row in plants)
