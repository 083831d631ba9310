class Tariff:
    per_kilo = 3

    def price(self, kilos):
        return max(4, kilos * self.per_kilo)
