from sensors.series import read

LIMIT = 30


def alarms(lines):
    return [one.name for one in read(lines).values() if one.mean() > LIMIT]
