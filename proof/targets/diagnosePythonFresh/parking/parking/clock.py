def minutes(text):
    """`14:05` as minutes since midnight."""
    hours, rest = text.split(':')
    return int(hours) * 60 + int(rest)


def stay(came, left):
    return minutes(left) - minutes(came)


def begun_hours(length):
    return length // 60
