from bins.edges import edges, position


class Histogram:
    def __init__(self, low, high, count):
        self.edges = edges(low, high, count)
        self.counts = [0] * (len(self.edges) - 1)

    def add(self, value):
        at = min(position(self.edges, value), len(self.counts) - 1)
        self.counts[at] += 1

    def bars(self):
        return ["#" * count for count in self.counts]
