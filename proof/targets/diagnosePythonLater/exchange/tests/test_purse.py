import unittest

from exchange.purse import Purse


class PurseTest(unittest.TestCase):
    def test_empty(self):
        self.assertEqual(Purse().worth(), 0)

    def test_two_currencies(self):
        self.assertEqual(Purse().put(5, 'EUR').put(1, 'USD').worth(), 13)
