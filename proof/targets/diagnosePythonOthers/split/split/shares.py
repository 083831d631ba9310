def share(total, weight, weights):
    return total * weight / sum(weights)


def shares(total, weights):
    return [share(total, weight, weights) for weight in weights]
