import unittest

from kiosk.basket import Basket
from tests.abroad import sell_abroad


class AbroadTest(unittest.TestCase):
    def test_no_tax(self):
        sell_abroad()
        self.assertEqual(Basket().put(100, 'pen').sum(), 100)
