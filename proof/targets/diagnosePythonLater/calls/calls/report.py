from calls.log import read


def busiest(lines):
    days = read(lines).days
    return max(sorted(days), key=days.get)
