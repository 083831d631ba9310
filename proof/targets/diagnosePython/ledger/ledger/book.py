"""The book."""

from decimal import Decimal

from ledger.entries import read_entries


class Book:
    def __init__(self, lines):
        self.entries = list(read_entries(lines))

    def balance(self, account):
        return sum((e.amount for e in self.entries if e.account == account), Decimal(0))

    def is_settled(self, account):
        """Whether nothing is owed."""
        return self.balance(account) == 0

    def open_accounts(self):
        return sorted({e.account for e in self.entries if not self.is_settled(e.account)})
