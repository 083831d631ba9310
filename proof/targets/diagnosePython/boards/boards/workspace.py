"""All boards of a team."""

from boards.templates import board_from


class Workspace:
    def __init__(self):
        self.boards = {}

    def create(self, name, template="empty"):
        self.boards[name] = board_from(template, name)
        return self.boards[name]

    def overview(self):
        return {name: len(board.titles("open")) for name, board in self.boards.items()}
