from garden.plan import plan


def test_empty():
    assert plan(2, 3, []) == '.../...'


def test_two_plants():
    assert plan(2, 3, ['0,1=k', '1,2=l']) == '.k./..l'
