"""Loans."""

from datetime import timedelta

from library import clock
from library.fees import fee


class Loan:
    def __init__(self, title, since, weeks=4):
        self.title = title
        self.due = since + timedelta(weeks=weeks)

    def days_late(self):
        return (clock.today() - self.due).days

    def fee(self):
        return fee(self.days_late())
