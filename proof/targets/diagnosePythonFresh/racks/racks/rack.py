from racks.codes import places, split_code


class Rack:
    def __init__(self):
        self.filled = {}

    def fill(self, code, what):
        row, first, last = split_code(code)
        for place in places(first, last):
            self.filled[f'{row}{place}'] = what
        return self


def count(rack, what):
    return list(rack.filled.values()).count(what)
