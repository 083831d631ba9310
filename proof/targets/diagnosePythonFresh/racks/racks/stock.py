from racks.rack import Rack, count


def stock(lines):
    rack = Rack()
    for line in lines:
        code, what = line.split()
        rack.fill(code, what)
    return {what: count(rack, what) for what in set(rack.filled.values())}
