from till.add import total


class Night:
    def __init__(self, booked):
        self.booked = booked

    def verdict(self, coins):
        found = total(coins)
        if found == self.booked:
            return 'right'
        return 'too much' if found > self.booked else 'too little'
