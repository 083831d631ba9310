def scaled(values, top=100):
    highest = max(values)
    return [value * top // highest for value in values]
