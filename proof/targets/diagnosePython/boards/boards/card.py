"""One card."""

from dataclasses import dataclass, field


@dataclass
class Card:
    title: str
    labels: set = field(default_factory=set)

    def label(self, name):
        self.labels.add(name)
        return self
