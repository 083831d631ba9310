/* The same tests under pytest and unittest. */
import { place } from './javaScript.mjs';
import { pip } from './install.mjs';

const shop = 'def total():\n    return 5\n';
const many = 2000;

const pytestProjects = {
  mixed: {
    'shop.py': shop,
    'test_cart.py': `import sys
import pytest
import shop

def test_works(): assert shop.total() == 5

def test_adds_up():
    print("\\033[31msaid in red\\033[0m")
    sys.stdout.flush()
    getattr(sys.stdout, "buffer", None) and sys.stdout.buffer.write(b"b\\xff\\xfey\\n")
    assert shop.total() == 6

class TestInner:
    class TestDeep:
        def test_is_nested(self): pass

@pytest.mark.skip(reason="later")
def test_is_later(): pass

@pytest.mark.xfail(reason="known")
def test_is_known_to_fail(): assert shop.total() == 7

@pytest.mark.parametrize("one", ["a b", "(c) [d]"])
def test_takes(one): assert one
`,
    'test_other.py': 'def test_is_elsewhere(): pass\n',
    'tests/unit/test_low.py': 'def test_is_low(): pass\n',
  },
  green: { 'test_cart.py': 'def test_works(): pass\n' },
  one: {
    'test_cart.py': `def refuse():
    raise ValueError("price below zero")

def test_refuses():
    for n in range(200): print("a line that is said", n)
    refuse()
`,
  },
  broken: { 'test_cart.py': 'def test_works(:\n    pass\n' },
  empty: { 'test_cart.py': 'nothing = 1\n' },
  crash: {
    'test_cart.py':
      'import os, signal\ndef test_is_before(): pass\ndef test_dies(): os.kill(os.getpid(), signal.SIGKILL)\n',
  },
  setup: {
    'test_cart.py':
      'import pytest\n@pytest.fixture\ndef base(): raise RuntimeError("no database")\ndef test_needs_it(base): pass\n',
  },
  hang: { 'test_cart.py': 'import threading\ndef test_hangs(): threading.Event().wait()\n' },
  many: {
    'test_cart.py': `import pytest\n@pytest.mark.parametrize("n", range(${many}))\ndef test_sums(n): assert n + 1 > n\n`,
  },
};

const unittestProjects = {
  mixed: {
    'shop.py': shop,
    'test_cart.py': `import sys
import unittest
import shop

class Cart(unittest.TestCase):
    def test_works(self): self.assertEqual(shop.total(), 5)
    def test_adds_up(self):
        print("\\033[31msaid in red\\033[0m")
        sys.stdout.flush()
        getattr(sys.stdout, "buffer", None) and sys.stdout.buffer.write(b"b\\xff\\xfey\\n")
        self.assertEqual(shop.total(), 6)
    @unittest.skip("later")
    def test_is_later(self): pass
    @unittest.expectedFailure
    def test_is_known_to_fail(self): self.assertEqual(shop.total(), 7)
    def test_takes(self):
        for one in ["a b", "(c) [d]"]:
            with self.subTest(one=one): self.assertTrue(one)

class Outer:
    class Inner(unittest.TestCase):
        def test_is_nested(self): pass
Inner = Outer.Inner
`,
    'test_other.py':
      'import unittest\nclass Other(unittest.TestCase):\n    def test_is_elsewhere(self): pass\n',
    'tests/unit/test_low.py':
      'import unittest\nclass Low(unittest.TestCase):\n    def test_is_low(self): pass\n',
    'tests/__init__.py': '',
    'tests/unit/__init__.py': '',
  },
  green: {
    'test_cart.py':
      'import unittest\nclass Cart(unittest.TestCase):\n    def test_works(self): pass\n',
  },
  one: {
    'test_cart.py': `import unittest
def refuse():
    raise ValueError("price below zero")

class Cart(unittest.TestCase):
    def test_refuses(self):
        for n in range(200): print("a line that is said", n)
        refuse()
`,
  },
  broken: {
    'test_cart.py':
      'import unittest\nclass Cart(unittest.TestCase):\n    def test_works(:\n        pass\n',
  },
  empty: { 'test_cart.py': 'import unittest\n' },
  crash: {
    'test_cart.py':
      'import os, signal, unittest\nclass Cart(unittest.TestCase):\n    def test_before(self): pass\n    def test_dies(self): os.kill(os.getpid(), signal.SIGKILL)\n',
  },
  setup: {
    'test_cart.py':
      'import unittest\nclass Cart(unittest.TestCase):\n    @classmethod\n    def setUpClass(cls): raise RuntimeError("no database")\n    def test_needs_it(self): pass\n',
  },
  hang: {
    'test_cart.py':
      'import threading, unittest\nclass Cart(unittest.TestCase):\n    def test_hangs(self): threading.Event().wait()\n',
  },
  many: {
    'test_cart.py': `import unittest\nclass Cart(unittest.TestCase): pass\nfor n in range(${many}): setattr(Cart, f"test_{n}", lambda self: None)\n`,
  },
};

const shared = {
  file: 'test_other.py',
  fuzzy: 'is_nested',
  typo: 'is_nestde',
  sides: true,
};

export function python() {
  const found = [];
  for (const version of ['7.4.4', '8.4.2', '9.2.0']) {
    const bin = pip('pytest', version);
    if (bin === null) continue;
    found.push({
      ...shared,
      name: `pytest ${version}`,
      framework: 'pytest',
      env: { PATH: `${bin}:${process.env.PATH}` },
      projects: Object.keys(pytestProjects),
      place: (root, project) =>
        place(root, { 'pytest.ini': '[pytest]\n', ...pytestProjects[project] }, null),
      parameters: /test_takes\[\(c\) \[d\]\]/,
      counts: { suite: '6/1/1/1', rerun: '0/1/0/0', level: '1/0/0/0' },
      without: { retry: 'a plug-in has it', limited: 'a plug-in has it' },
    });
  }
  found.push({
    ...shared,
    name: 'unittest',
    framework: 'unittest',
    env: {},
    projects: Object.keys(unittestProjects),
    place: (root, project) => place(root, unittestProjects[project], null),
    parameters: /test_takes/,
    counts: { suite: '5/1/1/1', rerun: '0/1/0/0', level: '1/0/0/0' },
    without: { retry: 'it has none', limited: 'it has none' },
  });
  return found;
}
