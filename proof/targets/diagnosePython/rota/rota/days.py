"""Days of a site."""


def day_of(moment, zone):
    """The calendar day of a moment at a site."""
    return moment.replace(tzinfo=zone).date()


def weekday_name(day):
    return ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"][day.weekday()]
