"""Balances."""

from ledger.book import Book

LINES = ["rent;-0.30;flat", "", "food;2.50;bread", "rent;0.10;part", "rent;0.20;the other part"]


def test_entries():
    assert [entry.text for entry in Book(LINES).entries][:2] == ["flat", "bread"]


def test_open_accounts():
    assert Book(LINES).open_accounts() == ["food"]
