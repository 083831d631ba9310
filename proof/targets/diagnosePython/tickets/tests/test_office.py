"""Selling tickets."""

from tickets.crowd import rush
from tickets.office import Office
from tickets.store import Store


def test_one_buyer():
    office = Office(Store(seats=1))
    assert office.sell(1)
    assert not office.sell(1)


def test_rush():
    store = Store(seats=10)
    office = Office(store)
    assert rush(office, 4, pieces=2) == 4
    assert store.get("seats") == 2
