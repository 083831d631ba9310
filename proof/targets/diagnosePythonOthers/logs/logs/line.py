from datetime import datetime, timedelta


def moment(text):
    """`2026-01-05 10:00 +0200`, as UTC."""
    day, clock, offset = text.split(" ")
    hours = int(offset[:3])
    return datetime.fromisoformat(f"{day} {clock}") + timedelta(hours=hours)


def message(text):
    return text.split("|", 1)[1].strip()
