from avatars.draw import draw
from avatars.keys import key_for


class Gallery:
    def __init__(self):
        self.drawn = {}

    def picture(self, name, size):
        key = key_for(name, size)
        if key not in self.drawn:
            self.drawn[key] = draw(name, size)
        return self.drawn[key]

    def row(self, names, size):
        return " ".join(self.picture(name, size) for name in names)
