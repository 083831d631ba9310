"""Carts for the tests."""

import pytest

from shop.cart import Cart


@pytest.fixture
def cart():
    cart = Cart([])
    cart.add("pot")
    return cart
