from badges.order import order, total
from badges.people import members


def test_spring():
    assert total(members('ann/red bob/blue')) == 6


def test_autumn():
    assert order(members('cleo/red')) == {'red': 3}
