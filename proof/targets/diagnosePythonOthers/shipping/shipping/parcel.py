from shipping.tariff import Tariff


class Parcel:
    def __init__(self, kilos):
        self.kilos = kilos

    def price(self):
        return Tariff().price(self.kilos)
