"""A chain that is kept in order, until it is not: a line each, a number that is put at its front."""
import sys


class Link:
    __slots__ = ("key", "next")

    def __init__(self, key, following):
        self.key = key
        self.next = following


class Chain:
    def __init__(self):
        self.first = None
        self.ring = Link(0, None)
        self.ring.next = self.ring
        self.length = 0

    def put(self, key):
        self.first = Link(key, self.first)
        self.length += 1
        return key


chain = Chain()
print("ready", flush=True)
for line in sys.stdin:
    chain.put(int(line))
    print("done", flush=True)
