from till.night import Night


def test_halves():
    assert Night(1.0).verdict(['half', 'half']) == 'right'


def test_small_coins():
    assert Night(0.3).verdict(['dime', 'double']) == 'right'
