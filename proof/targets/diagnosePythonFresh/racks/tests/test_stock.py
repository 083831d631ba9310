import unittest

from racks.stock import stock


class StockTest(unittest.TestCase):
    def test_single_places(self):
        self.assertEqual(stock(['A1 bolts', 'A2 nuts']), {'bolts': 1, 'nuts': 1})

    def test_ranges(self):
        self.assertEqual(stock(['B3-5 bolts', 'B7 nuts']), {'bolts': 3, 'nuts': 1})
