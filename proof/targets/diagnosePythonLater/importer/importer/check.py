def is_empty(found):
    return next(iter(found), None) is None
