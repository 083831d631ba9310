from garden.bed import bed


class Gardener:
    def __init__(self, rows, columns):
        self.plants = bed(rows, columns)

    def plant(self, row, column, what):
        self.plants[row][column] = what
        return self
