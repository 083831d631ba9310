from shipping.tariff import Tariff


def free_of_charge():
    Tariff.price = lambda self, kilos: 0
