"""Remembers rates."""


class Cache:
    def __init__(self, source):
        self.source = source
        self.known = {}

    def key(self, have, want, day):
        return f"{have}/{want}"

    def rate(self, have, want, day):
        key = self.key(have, want, day)
        if key not in self.known:
            self.known[key] = self.source.rate(have, want, day)
        return self.known[key]
