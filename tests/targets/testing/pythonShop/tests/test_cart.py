"""Totals of carts."""

from decimal import Decimal

import pytest

from shop.cart import Cart


def test_empty():
    assert Cart([]).total() == 0


@pytest.mark.parametrize("count, total", [(1, "24.50"), (10, "62.75"), (12, "71.30")])
def test_discount(cart, count, total):
    cart.add("tea", count)
    assert cart.total() == Decimal(total)


def test_unknown_name(cart):
    cart.add("cup")
    paid = cart.total()
    assert paid > 0
