from club.discount import discount


class Till:
    def __init__(self, prices):
        self.prices = prices

    def pay(self, items, points):
        whole = sum(self.prices[item] for item in items)
        return whole - whole * discount(points) // 100
