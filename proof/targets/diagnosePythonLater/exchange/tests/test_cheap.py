import unittest

from exchange.purse import Purse
from tests.fakes import pretend


class CheapTest(unittest.TestCase):
    def test_worthless(self):
        pretend(0)
        self.assertEqual(Purse().put(5, 'EUR').worth(), 0)
