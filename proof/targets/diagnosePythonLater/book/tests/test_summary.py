import unittest

from book.summary import longest, whole


class SummaryTest(unittest.TestCase):
    def test_longest(self):
        self.assertEqual(longest('1 10 25').number, 2)

    def test_whole(self):
        self.assertEqual(whole('1 10 25 31'), 30)
