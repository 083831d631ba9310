RATES = {'car': 2, 'van': 3, 'truck': 5}


def rate(kind):
    return RATES[kind]


def cap(kind):
    return rate(kind) * 8
