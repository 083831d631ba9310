from kiosk.price import gross


class Basket:
    def __init__(self):
        self.items = []

    def put(self, net, kind):
        self.items.append((net, kind))
        return self

    def sum(self):
        return sum(gross(net, kind) for net, kind in self.items)
