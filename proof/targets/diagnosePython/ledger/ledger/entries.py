"""Entries of a ledger."""

from collections import namedtuple

from ledger.amounts import parse_amount

Entry = namedtuple("Entry", "account amount text")


def read_entries(lines):
    """`account;amount;text`, empty lines left out."""
    for line in lines:
        if not line.strip():
            continue
        account, amount, text = line.split(";", 2)
        yield Entry(account, parse_amount(amount), text.strip())
