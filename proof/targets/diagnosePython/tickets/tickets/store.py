"""A store that is as slow as a disk."""

import time


class Store:
    def __init__(self, **values):
        self.values = dict(values)

    def get(self, name):
        time.sleep(0.002)
        return self.values[name]

    def put(self, name, value):
        time.sleep(0.002)
        self.values[name] = value
