"""A service that is configured."""

from settings.reader import read


class Service:
    def __init__(self, text):
        self.settings = {"timeout": 30, "retry": False, "lease": 600, **read(text)}

    def renew_at(self, now):
        """When a lease that was had now is renewed: at its half."""
        return now + self.settings["lease"] // 2
