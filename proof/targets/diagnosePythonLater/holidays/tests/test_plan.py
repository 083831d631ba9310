from holidays.plan import free_days


def test_one_year():
    assert free_days('SE', [2026]) == 11


def test_two_years():
    assert free_days('NO', [2026, 2027]) == 16
