from lockers.hall import Hall


def test_one_visitor():
    assert Hall(2).admit(['ann']) == 1


def test_a_group():
    assert Hall(4).admit(['ann', 'bob', 'cleo']) == 3
