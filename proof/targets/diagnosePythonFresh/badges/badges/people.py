class Member:
    def __init__(self, name, team):
        self.name = name
        self.team = team


def members(text):
    return [Member(*line.split('/')) for line in text.split()]
