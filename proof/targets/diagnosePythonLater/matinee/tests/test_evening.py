from matinee.evening import income


def test_few_people():
    assert income(10, 3, 5) == 15


def test_many_people():
    assert income(1, 4, 5) == 5
