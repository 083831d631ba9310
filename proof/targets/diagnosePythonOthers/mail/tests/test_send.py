import unittest

from mail.send import send

PEOPLE = [{"mail": "ann@Example.org"}, {"mail": "bob@localhost"}, {"mail": "cem@example.org"}]


class SendTest(unittest.TestCase):
    def test_send(self):
        out = []
        self.assertEqual(send(PEOPLE, "Hello", out), 2)
