from flights.trip import hours_in_the_air, trip


def test_within_a_country():
    legs = trip('2026-03-01T09:00+01:00>2026-03-01T10:30+01:00')
    assert hours_in_the_air(legs) == 1.5


def test_across_the_sea():
    legs = trip('2026-03-01T09:00+01:00>2026-03-01T11:00-05:00')
    assert hours_in_the_air(legs) == 8
