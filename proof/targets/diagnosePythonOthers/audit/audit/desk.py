from audit.trail import Trail


class Desk:
    def __init__(self):
        self.trails = {}

    def act(self, owner, what):
        if owner not in self.trails:
            self.trails[owner] = Trail(owner)
        self.trails[owner].note(what)

    def summary(self, owner):
        return " / ".join(self.trails[owner].last())
