from till.coins import value


def total(coins):
    found = 0
    for coin in coins:
        found += value(coin)
    return found
