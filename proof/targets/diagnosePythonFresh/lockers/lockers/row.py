import time


class Row:
    def __init__(self, count):
        self.free = list(range(1, count + 1))
        self.taken = {}

    def first_free(self):
        number = self.free[0]
        time.sleep(0.002)
        return number

    def take(self, visitor):
        number = self.first_free()
        self.free = [one for one in self.free if one != number]
        self.taken[number] = visitor
        return number
