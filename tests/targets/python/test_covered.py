from covered import sign


def test_sign():
    assert sign(7) == 1
