from book.pages import length, starts


class Chapter:
    def __init__(self, number, pages):
        self.number = number
        self.pages = pages


def chapters(text):
    found = starts(text)
    return [Chapter(at + 1, length(one, found[at + 1])) for at, one in enumerate(found[:-1])]
