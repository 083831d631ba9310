"""What trips cost."""

import unittest

from rates.cache import Cache
from rates.convert import Converter
from rates.source import Source
from rates.trips import cost


class TripTest(unittest.TestCase):
    def setUp(self):
        self.source = Source()
        self.converter = Converter(Cache(self.source))

    def test_own_currency(self):
        self.assertEqual(cost([(500, "USD", "mon")], self.converter), 500)
        self.assertEqual(self.source.asked, 0)

    def test_two_days(self):
        receipts = [(1000, "EUR", "mon"), (200, "USD", "mon"), (1000, "EUR", "tue")]
        self.assertEqual(cost(receipts, self.converter), 1100 + 200 + 1200)
