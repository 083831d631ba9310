from datetime import datetime


def stamp(text):
    """`2026-03-01T09:30+01:00`"""
    return datetime.fromisoformat(text)


def comparable(moment):
    return moment.replace(tzinfo=None)
