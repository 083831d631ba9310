from ballot.result import winner


def test_nobody_has_more_than_half():
    assert winner('oak,elm') is None


def test_majority():
    assert winner('oak,elm,,oak') == 'oak'
