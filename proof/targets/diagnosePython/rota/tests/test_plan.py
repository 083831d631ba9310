"""Plans of a site."""

from datetime import date

from rota.plan import Plan

LINES = ["anna 2026-05-03T22:30 8", "bo 2026-05-04T06:00 8", "cem 2026-05-04T14:00 6"]


def test_hours():
    assert Plan("berlin", LINES).hours_of("cem") == 6


def test_night_shift_is_of_the_next_day():
    plan = Plan("berlin", LINES)
    assert plan.title(date(2026, 5, 4)) == "Mo: anna, bo, cem"
