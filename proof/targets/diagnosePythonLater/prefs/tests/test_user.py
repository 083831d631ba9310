from prefs.user import User


def test_usual():
    assert User('{}').style() == 'light 12'


def test_chosen():
    assert User('{"theme": "dark", "size": 14,}').style() == 'dark 14'
