"""Fees."""

from datetime import date, timedelta

from frozen import freeze
from library.loans import Loan


def test_late():
    freeze(date(2031, 3, 31))
    assert Loan("Walden", date(2031, 3, 1)).fee() == 20


def test_in_time():
    since = date.today() - timedelta(days=3)
    assert Loan("Emma", since).fee() == 0
