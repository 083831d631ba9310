def length(start, following):
    return following - start - 1


def starts(text):
    return [int(number) for number in text.split()]
