"""Carts that nobody gives lines."""

from shop.cart import Cart


def test_first():
    cart = Cart()
    cart.add("tea")
    assert len(cart.lines) == 1


def test_second():
    cart = Cart()
    cart.add("pot")
    assert [line.name for line in cart.lines] == ["pot"]
