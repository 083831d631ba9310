from datetime import timedelta

from flights.leg import Leg


def trip(*legs):
    return [Leg(*leg.split('>')) for leg in legs]


def hours_in_the_air(legs):
    length = sum((leg.length() for leg in legs), timedelta())
    return length.total_seconds() / 3600
