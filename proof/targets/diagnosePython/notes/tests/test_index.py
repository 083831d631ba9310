"""The index of notes."""

import unittest

from notes.index import Index


class IndexTest(unittest.TestCase):
    def test_one_note(self):
        index = Index()
        index.put("garden", "Water the #beans on #monday")
        self.assertEqual(index.with_tag("monday"), ["garden"])

    def test_several_notes(self):
        index = Index()
        index.put("cellar", "Count the #jars")
        index.put("attic", "Sort #letters and #photos")
        index.put("shed", "Oil the #tools, sort #jars")
        self.assertEqual(index.with_tag("letters"), ["attic"])
