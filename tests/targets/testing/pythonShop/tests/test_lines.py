"""Totals of lines, by unittest."""

import unittest

from shop.cart import Line


class LineTest(unittest.TestCase):
    def test_many(self):
        self.assertEqual(Line("tea", 120).total(), 486)

    def test_counts(self):
        for count in (1, 11):
            with self.subTest(count=count):
                self.assertGreater(Line("pot", count).total(), 20 * count - count)
