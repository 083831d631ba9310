from routes.fleet import fleet


def test_nothing():
    assert fleet({}) == {}


def test_two_depots():
    assert fleet({'north': ['a', 'b'], 'south': ['c']}) == {'north': 3, 'south': 2}
