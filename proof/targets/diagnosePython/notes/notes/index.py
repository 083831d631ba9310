"""Which note has which tag."""

from notes.tags import tags_of


class Index:
    def __init__(self):
        self.notes = {}

    def put(self, name, text):
        self.notes[name] = tuple(tags_of(text))

    def with_tag(self, tag):
        return sorted(name for name, tags in self.notes.items() if tag in tags)
