def split_code(code):
    """`B3-5`: row B, places 3 to 5."""
    row, places = code[0], code[1:]
    first, _, last = places.partition('-')
    return row, int(first), int(last or first)


def places(first, last):
    return list(range(first, max(last, first + 1)))
