"""Configured services."""

import unittest

from settings.service import Service

TEXT = """
timeout = 5 s
retry = on
lease = 2 hours
"""


class ServiceTest(unittest.TestCase):
    def test_default(self):
        self.assertEqual(Service("").renew_at(100), 400)

    def test_configured(self):
        service = Service(TEXT)
        self.assertTrue(service.settings["retry"])
        self.assertEqual(service.renew_at(1000), 4600)
