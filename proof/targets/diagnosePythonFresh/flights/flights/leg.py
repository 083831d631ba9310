from flights.stamps import comparable, stamp


class Leg:
    def __init__(self, start, end):
        self.start = stamp(start)
        self.end = stamp(end)

    def length(self):
        return comparable(self.end) - comparable(self.start)
