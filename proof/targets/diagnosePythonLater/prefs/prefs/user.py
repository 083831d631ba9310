from prefs.merge import merged
from prefs.text import loaded

USUAL = {'theme': 'light', 'size': 12}


class User:
    def __init__(self, text):
        self.chosen = merged(USUAL, loaded(text))

    def style(self):
        return f"{self.chosen['theme']} {self.chosen['size']}"
