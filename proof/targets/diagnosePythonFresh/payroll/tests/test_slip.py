import unittest

from payroll.slip import slip


class SlipTest(unittest.TestCase):
    def test_whole_hours(self):
        self.assertEqual(slip('Ann', 38, '21.50'), 'Ann: 817.00')

    def test_part_of_an_hour(self):
        self.assertEqual(slip('Bob', 0.7, '10.05'), 'Bob: 7.04')
