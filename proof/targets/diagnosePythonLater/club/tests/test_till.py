from club.till import Till

PRICES = {'court': 200, 'ball': 50}


def test_new_member():
    assert Till(PRICES).pay(['ball'], 10) == 50


def test_old_member():
    assert Till(PRICES).pay(['court', 'ball'], 120) == 175


def test_just_gold():
    assert Till(PRICES).pay(['court'], 100) == 140
