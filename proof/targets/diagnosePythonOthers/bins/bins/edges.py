def edges(low, high, count):
    step = (high - low) / count
    return [low + step * at for at in range(count)]


def position(edge_list, value):
    found = 0
    for at, edge in enumerate(edge_list):
        if value >= edge:
            found = at
    return found
