class Job:
    def __init__(self, number, title):
        self.number = number
        self.title = title

    def label(self):
        return f'{self.number}-{self.title}'
