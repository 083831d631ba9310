"""Time zones of the sites."""

from datetime import timedelta, timezone

SITES = {"berlin": timezone(timedelta(hours=2)), "lisbon": timezone(timedelta(hours=1))}


def zone_of(site):
    return SITES[site]
