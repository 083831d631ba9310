import unittest

from web.client import Client


class ClientTest(unittest.TestCase):
    def test_requests(self):
        client = Client()
        private = client.prepare("/me.json", token="sesame")
        public = client.prepare("/about")
        self.assertIn("authority: sesame", private.lines())
        self.assertEqual(public.lines(), ["GET /about", "accept: text/plain", "kind: page"])
