"""Every kind of outcome a unittest test has."""

import unittest, sys
def area(w, h):
    if w < 0: raise ValueError("negative")
    return w + h
class Areas(unittest.TestCase):
    def test_area(self):
        """Docstring of area."""
        print("hello out")
        self.assertEqual(area(2, 3), 6)
    def test_error(self): area(-1, 2)
    def test_ok(self): pass
    @unittest.skip("later")
    def test_skip(self): pass
    @unittest.expectedFailure
    def test_xf(self): self.fail()
    def test_sub(self):
        for n in range(3):
            with self.subTest(n=n): self.assertNotEqual(n, 1)
class Broken(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise OSError("no port")
    def test_never(self): pass
