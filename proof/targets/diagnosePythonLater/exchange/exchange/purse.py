from exchange import bank


class Purse:
    def __init__(self):
        self.money = []

    def put(self, amount, currency):
        self.money.append((amount, currency))
        return self

    def worth(self):
        return sum(amount * bank.rate(currency) for amount, currency in self.money)
