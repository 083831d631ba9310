import asyncio

from stock.day import day
from stock.shelf import Shelf


def test_day():
    shelf = Shelf(10)
    assert asyncio.run(day(shelf, [1, 2, 3])) == 6
    assert shelf.pieces == 16
