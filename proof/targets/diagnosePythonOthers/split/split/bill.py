from split.shares import shares


class Bill:
    def __init__(self, total, people):
        self.total = total
        self.people = people

    def owed(self):
        parts = shares(self.total, list(self.people.values()))
        return dict(zip(self.people, parts))

    def is_even(self):
        return sum(self.owed().values()) == self.total and len(set(self.owed().values())) == 1
