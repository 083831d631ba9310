class Trail:
    def __init__(self, owner, entries=[]):
        self.owner = owner
        self.entries = entries

    def note(self, what):
        self.entries.append(f"{self.owner}: {what}")

    def last(self, number=2):
        return self.entries[-number:]
