"""Numbers of a group."""

from dataclasses import dataclass


@dataclass
class Summary:
    count: int
    total: int
    oldest: int

    def mean(self):
        return self.total / self.count if self.count else 0.0


def summarise(values):
    """Count, sum and maximum."""
    count = 0
    for _ in values:
        count += 1
    return Summary(count, sum(values), max(values, default=0))
