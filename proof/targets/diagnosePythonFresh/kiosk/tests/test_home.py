import unittest

from kiosk.basket import Basket


class HomeTest(unittest.TestCase):
    def test_books(self):
        self.assertEqual(Basket().put(50, 'book').sum(), 50)

    def test_pens(self):
        self.assertEqual(Basket().put(100, 'pen').put(50, 'book').sum(), 170)
