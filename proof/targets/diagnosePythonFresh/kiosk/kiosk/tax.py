SHARE = 20


def share_of(kind):
    return 0 if kind == 'book' else SHARE
