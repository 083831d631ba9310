"""One shift."""

from dataclasses import dataclass
from datetime import datetime, timedelta, timezone


@dataclass(frozen=True)
class Shift:
    person: str
    begins: datetime
    hours: int

    def ends(self):
        return self.begins + timedelta(hours=self.hours)


def parse(line):
    """`anna 2026-05-03T22:30 8`, in UTC as it was exported."""
    person, begins, hours = line.split()
    moment = datetime.fromisoformat(begins).replace(tzinfo=timezone.utc)
    return Shift(person, moment, int(hours))
