from conftest import free_of_charge
from shipping.parcel import Parcel


def test_free():
    free_of_charge()
    assert Parcel(10).price() == 0


def test_heavy():
    assert Parcel(10).price() == 30
