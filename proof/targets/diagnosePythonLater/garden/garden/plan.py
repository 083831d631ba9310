from garden.bed import draw
from garden.gardener import Gardener


def plan(rows, columns, orders):
    gardener = Gardener(rows, columns)
    for order in orders:
        place, what = order.split('=')
        row, column = place.split(',')
        gardener.plant(int(row), int(column), what)
    return draw(gardener.plants)
