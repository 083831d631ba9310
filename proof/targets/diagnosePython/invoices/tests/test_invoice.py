"""Sums of invoices."""

from billing.invoice import Invoice


def test_net():
    assert Invoice("Ada").add(1).add(3, 2).net() == 9000


def test_gross():
    invoice = Invoice("Ada").add(3).add(2, 5).add(1, 2)
    assert invoice.gross() == 4165 + 4280 + 4280
