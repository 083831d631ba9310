from importer.people import people


def test_nothing():
    assert people('') is None


def test_three():
    assert people('ann;1\nbob;2\ncleo;3') == ['ann', 'bob', 'cleo']
