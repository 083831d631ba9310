from kitchen.parse import ingredient


class Recipe:
    def __init__(self, title, lines):
        self.title = title
        self.parts = [ingredient(line) for line in lines]

    def volume(self):
        return sum(part["ml"] for part in self.parts)

    def names(self):
        return [part["name"] for part in self.parts]
