import asyncio

from courier.tour import Tour, farthest


def test_one_stop():
    assert asyncio.run(farthest(Tour(['market']))) == 'market'


def test_three_stops():
    assert asyncio.run(farthest(Tour(['hill', 'market', 'quay']))) == 'hill'
