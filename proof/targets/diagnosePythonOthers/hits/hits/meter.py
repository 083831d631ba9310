import time


class Meter:
    def __init__(self):
        self.counts = {}

    def hit(self, page):
        before = self.counts.get(page, 0)
        time.sleep(0.001)
        self.counts[page] = before + 1

    def total(self):
        return sum(self.counts.values())
