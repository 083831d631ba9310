"""Sells tickets."""

import threading


class Office:
    def __init__(self, store):
        self.store = store
        self.lock = threading.Lock()
        self.sold = 0

    def sell(self, pieces):
        """Whether there were enough."""
        if self.take("seats", pieces):
            with self.lock:
                self.sold += pieces
            return True
        return False

    def take(self, name, pieces):
        left = self.store.get(name)
        if left < pieces:
            return False
        self.store.put(name, left - pieces)
        return True
