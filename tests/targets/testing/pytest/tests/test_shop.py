"""Every kind of outcome a pytest test has."""

import pytest
from shop import Cart

@pytest.fixture
def broken():
    raise RuntimeError("no database")

def test_total():
    cart = Cart()
    cart.add("tea", 2, count=3)
    print("items", cart.items)
    assert cart.total() == 6

def test_negative():
    Cart().add("tea", -1)

def test_setup(broken):
    pass

@pytest.mark.parametrize("n", [1, 2, "a b"])
def test_many(n):
    assert n != 2

@pytest.mark.skip(reason="later")  # one outcome of the report
def test_later(): pass

@pytest.mark.xfail(reason="known")
def test_known(): assert False

class TestInner:
    def test_ok(self): pass
