class Paper:
    def __init__(self, choice):
        self.choice = choice

    def is_valid(self):
        return self.choice != ''


def papers(text):
    return [Paper(choice) for choice in text.split(',')]


def valid(all_papers):
    return (paper for paper in all_papers if paper.is_valid())
