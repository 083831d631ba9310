from weather.shelf import Shelf
from weather.stations import measure
from weather.units import convert


class Service:
    def __init__(self):
        self.shelf = Shelf()

    def temperature(self, city, unit='C'):
        return self.shelf.fetch(city, unit, lambda: convert(measure(city), unit))


def headline(service, city):
    return f"{city}: {service.temperature(city)} C, {service.temperature(city, 'F')} F"
