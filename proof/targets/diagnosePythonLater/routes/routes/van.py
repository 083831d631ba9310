from routes.route import extended, route


class Van:
    def __init__(self, depot):
        self.stops = route(depot)

    def load(self, addresses):
        self.stops = extended(self.stops, addresses)
        return self
