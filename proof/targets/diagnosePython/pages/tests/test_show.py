"""Pages as text."""

from listing.listing import Listing
from listing.show import text_of

TOWNS = ["Ulm", "Aachen", "kiel", "Bonn", "Mainz"]


def test_first_page():
    assert text_of(Listing(TOWNS), 1) == "- Aachen\n- Bonn\n- kiel\npage 1 of 2"


def test_last_page():
    assert text_of(Listing(TOWNS), 2) == "- Mainz\n- Ulm\npage 2 of 2"
