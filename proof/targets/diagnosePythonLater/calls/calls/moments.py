from datetime import datetime, timezone


def moment(text):
    return datetime.fromisoformat(text)


def day(when):
    return when.astimezone(timezone.utc).date()
