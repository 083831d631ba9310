"""A board."""

from boards.card import Card


class Board:
    def __init__(self, name, columns):
        self.name = name
        self.columns = columns

    def add(self, column, title):
        card = Card(title)
        self.columns[column].append(card)
        return card

    def titles(self, column):
        return [card.title for card in self.columns[column]]

    def move(self, title, source, target):
        found = next(card for card in self.columns[source] if card.title == title)
        self.columns[source].remove(found)
        self.columns[target].append(found)
